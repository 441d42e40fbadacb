import { drmSystems, trackTypes } from './listed-values';

test('the order of DRM systems and track types is kept: stored sessions have places in these lists', () => {
  expect(drmSystems).toEqual(['widevine', 'playready', 'fairplay', 'wiseplay']);
  expect(trackTypes).toEqual(['AUDIO', 'SD', 'HD', 'UHD1', 'UHD2']);
});
