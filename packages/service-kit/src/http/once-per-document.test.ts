import { controlPlaneDocument, playbackDocument } from '@multi-drm/contracts';
import { oncePerDocument } from './once-per-document';
import { validateRequests } from './validate-requests';
import { validatedDocument } from './validated-document';

test('a result is made once for each document and key', () => {
  const make = jest.fn((_document: unknown, name: string) => ({ name }));
  const get = oncePerDocument((name: string) => name, make);
  const first = get(controlPlaneDocument, 'a');
  expect(get(controlPlaneDocument, 'a')).toBe(first);
  expect(get(controlPlaneDocument, 'b')).toEqual({ name: 'b' });
  expect(get(playbackDocument, 'a')).not.toBe(first);
  expect(make).toHaveBeenCalledTimes(3);
});

test('applications with the same document share their validators, and each operation has its own', () => {
  const validators = (path: string, method: string) =>
    validateRequests(validatedDocument(playbackDocument), { path, method });
  const [path = '', otherPath = ''] = Object.keys(playbackDocument.paths);
  expect(validators(path, 'get')).toBe(validators(path, 'get'));
  expect(validators(path, 'get')).not.toBe(validators(path, 'post'));
  expect(validators(path, 'get')).not.toBe(validators(otherPath, 'get'));
});
