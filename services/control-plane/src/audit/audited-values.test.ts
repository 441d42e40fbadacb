import { type ControlPlaneSchemas, controlPlaneDocument } from '@multi-drm/contracts';
import { documentExamples } from '@multi-drm/test-kit';
import { auditedValues } from './audited-values';

const answers = new Map(
  documentExamples(controlPlaneDocument).map(({ operationId, answer }) => [operationId, answer] as const),
);

// Based on the examples of the API, so that a new field of a record needs no change here.
const drmSystem = answers.get('getDrmSystem') as ControlPlaneSchemas['DrmSystemConfigurationResponse'];
const content: ControlPlaneSchemas['ContentAssetResponse'] = {
  ...(answers.get('getContentAsset') as ControlPlaneSchemas['ContentAssetResponse']),
  title: 'Film',
  manifests: [],
  audioLanguages: ['de'],
  subtitleLanguages: [],
};
const manifest = (bytes: number) => ({
  type: 'dash' as const,
  url: `https://media.example.com/${'x'.repeat(bytes)}`,
  drmSystems: ['widevine' as const],
});

test('for a new record, every value is recorded except its own timestamps', () => {
  const { createdAt: _createdAt, updatedAt: _updatedAt, ...values } = content;
  expect(auditedValues(null, content)).toEqual({ before: null, after: values, omitted: [] });
});

test('for a change, the values that differ are recorded on both sides', () => {
  const after = { ...content, title: 'Film 2', audioLanguages: ['de', 'en'], updatedAt: '2026-03-02T10:00:00.000Z' };
  expect(auditedValues(content, after)).toEqual({
    before: { title: 'Film', audioLanguages: ['de'] },
    after: { title: 'Film 2', audioLanguages: ['de', 'en'] },
    omitted: [],
  });
});

test('for a change without effect, no value is recorded', () => {
  expect(auditedValues(content, { ...content })).toEqual({ before: {}, after: {}, omitted: [] });
});

test('a changed member of an object is recorded on its own; a side without that member has null', () => {
  const backend = { type: 'http' as const, url: 'https://a.example/', responseFormat: 'raw' as const };
  const [before, after] = [
    { ...drmSystem, backend: { ...backend, headers: { A: '1', B: '2' } } },
    { ...drmSystem, backend: { ...backend, headers: { A: '1', C: '3' } } },
  ];
  expect(auditedValues(before, after)).toEqual({
    before: { backend: { headers: { B: '2', C: null } } },
    after: { backend: { headers: { B: null, C: '3' } } },
    omitted: [],
  });
  expect(auditedValues({ ...drmSystem, backend: null }, before)).toMatchObject({
    before: { backend: null },
    after: { backend: { type: 'http', headers: { A: '1', B: '2' } } },
  });
});

test('a value of more than 4 KiB on either side is left out and named', () => {
  const large = { ...content, title: 'Film 2', manifests: [manifest(2_000), manifest(2_000), manifest(100)] };
  const expected = { omitted: ['manifests'], after: { title: 'Film 2' }, before: { title: 'Film' } };
  expect(auditedValues(content, large)).toEqual(expected);
  expect(auditedValues(large, content)).toEqual({ ...expected, before: expected.after, after: expected.before });
});

test('the values of one side take at most 16 KiB in total', () => {
  const long = Array.from({ length: 100 }, (_, index) => `x-${String(index).padStart(33, 'a')}`);
  const languages = { audioLanguages: long, subtitleLanguages: long };
  const { after, omitted } = auditedValues(null, {
    ...content,
    ...languages,
    contentId: 'x'.repeat(4_000),
    title: 'x'.repeat(4_000),
    manifests: [manifest(3_000)],
  });
  expect(omitted).toEqual(['subtitleLanguages']);
  expect(JSON.stringify(after).length).toBeLessThanOrEqual(16 * 1024);
});
