import { randomUUID } from 'node:crypto';
import { operatorKey, startControlPlane } from './testing/control-plane';

test('a refused request is logged with the ids in its path', async () => {
  const { api, log } = await startControlPlane();
  const contentAssetId = randomUUID();
  await api
    .get(`/api/v1/management/content/${contentAssetId}`)
    .set('Authorization', `Bearer ${operatorKey}`)
    .expect(404);
  expect(log.filter(({ message }) => message === 'request').map(({ fields }) => fields)).toEqual([
    expect.objectContaining({ status: 404, code: 'not_found', contentAssetId }),
  ]);
});
