import { publicPackages } from './public-packages';
import { type Manifest, publishedManifest } from './published-manifest';

const workspaceManifest: Manifest = {
  name: '@multi-drm/example',
  version: '1.2.3',
  exports: { './webhooks': { source: './src/webhooks.ts' } },
  scripts: { generate: 'node generate.mjs' },
  dependencies: { 'openapi-fetch': '0.17.0' },
  devDependencies: { '@multi-drm/test-kit': 'workspace:*' },
};

test('customers get the built files of both module systems, and nothing that only the workspace has', () => {
  expect(publishedManifest(workspaceManifest)).toEqual({
    name: '@multi-drm/example',
    version: '1.2.3',
    files: ['dist'],
    main: './dist/index.js',
    types: './dist/index.d.ts',
    exports: {
      './webhooks': {
        import: { types: './dist/webhooks.d.mts', default: './dist/webhooks.mjs' },
        require: { types: './dist/webhooks.d.ts', default: './dist/webhooks.js' },
      },
    },
    dependencies: { 'openapi-fetch': '0.17.0' },
  });
});

test.each(['workspace:*', 'catalog:'])(
  'a package with a dependency of the version %s cannot be published',
  (version) => {
    const dependencies = { '@multi-drm/contracts': version };
    expect(() => publishedManifest({ ...workspaceManifest, dependencies })).toThrow(version);
  },
);

test('every package for customers can be published', () => {
  const packages = publicPackages();
  expect(packages.map(({ name }) => name)).toContain('@multi-drm/management-client');
  for (const { manifest } of packages) expect(() => publishedManifest(manifest)).not.toThrow();
});
