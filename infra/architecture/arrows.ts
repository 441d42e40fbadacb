import { type Import, tests } from './imports';

/** A dependency rule: files that match `from`, except those that match `except`, must not import anything that matches `never`. */
interface Arrow {
  rule: string;
  from: RegExp;
  except?: RegExp;
  never: RegExp;
  /** Matches the folder whose files may import each other all the same. */
  within?: RegExp;
}

const wiring = /^services\/[^/]+\/src\/(main|app|endpoints|wiring|migrate)\.ts$/;
const either = (...patterns: RegExp[]) => new RegExp(patterns.map(({ source }) => source).join('|'));

/** The folders of the control plane from the top down: each imports only those after it. */
export const controlPlaneFolders = [
  'features',
  'records',
  'webhooks',
  'responses',
  'access',
  'secrets',
  'stores',
  'audit',
  'admission',
  'usage',
  'events',
  'publishing',
  'plans',
  'active-sessions',
  'database',
];

/** The other packages that each imports. */
const packageImports: Record<string, string[]> = {
  policy: ['contracts'],
  'service-kit': ['contracts'],
  slots: ['contracts', 'service-kit'],
  'license-backends': ['contracts', 'policy', 'service-kit'],
};
const packages = Object.keys(packageImports).join('|');

/** What each folder of playback may import of the others. */
export const playbackFolders: Record<string, string[]> = {
  routes: ['access', 'licenses', 'sessions', 'tokens', 'catalog'],
  licenses: ['sessions', 'sandbox', 'events', 'tokens', 'catalog'],
  sessions: ['sandbox', 'events', 'tokens', 'catalog'],
  access: ['tokens', 'catalog'],
  sandbox: [],
  events: [],
  tokens: [],
  catalog: [],
};

const arrows: Arrow[] = [
  {
    rule: 'control-plane does not import playback',
    from: /^services\/control-plane\//,
    never: /^services\/playback\/|^@multi-drm\/playback/,
  },
  {
    rule: 'playback does not import control-plane',
    from: /^services\/playback\//,
    never: /^services\/control-plane\/|^@multi-drm\/control-plane/,
  },
  {
    rule: 'packages do not import services or infra, except in tests',
    from: /^packages\//,
    except: tests,
    never: /^(services|infra)\/|^@multi-drm\/(control-plane|playback|local|test-kit|codegen|demo-site)/,
  },
  {
    rule: 'contracts imports no other package of the workspace',
    from: /^packages\/contracts\//,
    never: /^@multi-drm\/|^packages\/(?!contracts\/)/,
  },
  {
    rule: 'client imports nothing: it is published, and runs wherever fetch does',
    from: /^packages\/client\//,
    except: tests,
    never: /^(?!packages\/client\/)/,
  },
  {
    rule: 'management-client imports openapi-fetch alone: it is published',
    from: /^packages\/management-client\//,
    except: tests,
    never: /^(?!packages\/management-client\/|openapi-fetch$)/,
  },
  {
    rule: 'packages and services import the published packages in tests only',
    from: /^(packages\/(?!client\/|management-client\/|player\/)|services\/)/,
    except: tests,
    never: /^@multi-drm\/(client|management-client|player)(\/|$)|^packages\/(client|management-client|player)\//,
  },
  ...Object.entries(packageImports).map(([name, imported]) => ({
    rule: `${name} imports only ${imported.join(', ')}`,
    from: new RegExp(`^packages/${name}/`),
    except: tests,
    never: new RegExp(`^@multi-drm/(?=${packages})(?!${name}|${imported.join('|')})|^packages/(?!${name}/)`),
  })),
  {
    rule: 'player, which runs in the pages of customers, imports nothing',
    from: /^packages\/player\//,
    except: tests,
    never: /^(?!packages\/player\/)/,
  },
  {
    rule: 'policy does no I/O',
    from: /^packages\/policy\//,
    except: tests,
    never: /^(express|ioredis|pg|@prisma\/.*|node:(fs|net|http|https|dns|child_process).*)$/,
  },
  {
    rule: 'infra uses services over the network only, except for the migrations of the test database',
    from: /^infra\//,
    except: /^infra\/test-kit\/src\/servers\/template-database\.ts$|\.test\.ts$/,
    never: /^services\/|^@multi-drm\/(control-plane|playback)/,
  },
  {
    rule: 'packages of infra import each other by name and not by path, except in what runs before any is installed',
    from: /^infra\//,
    except: /^infra\/docker\/create-environment\.mjs$/,
    never: /^infra\//,
    within: /^infra\/[^/]+\//,
  },
  {
    rule: 'what starts things does not import the test kit, which depends on it',
    from: /^infra\/local\//,
    never: /^@multi-drm\/test-kit/,
  },
  {
    rule: 'the demo site does not import what starts it',
    from: /^infra\/demo-site\//,
    never: /^@multi-drm\/local/,
  },
  {
    rule: 'services import infra in tests only',
    from: /^services\//,
    except: tests,
    never: /^infra\/|^@multi-drm\/(local|test-kit|demo-site)/,
  },
  {
    rule: 'only the wiring imports the wiring',
    from: /^services\/[^/]+\/src\/[^/]+\//,
    except: tests,
    never: /^services\/[^/]+\/src\/(main|app|wiring|(features\/[^/]+\/)?endpoints)$/,
  },
  ...Object.entries(playbackFolders).map(([folder, allowed]) => ({
    rule: `of the folders of playback, ${folder} imports only ${allowed.join(', ') || 'none'}`,
    from: new RegExp(`^services/playback/src/${folder}/`),
    except: tests,
    never: new RegExp(`^services/playback/src/(?!(${[folder, ...allowed].join('|')})/)[^/]+/`),
  })),
  ...controlPlaneFolders.slice(1).map((folder, index) => ({
    rule: `${folder} of the control plane imports only ${controlPlaneFolders.slice(index + 2).join(', ')}`,
    from: new RegExp(`^services/control-plane/src/${folder}/`),
    except: tests,
    never: new RegExp(`^services/control-plane/src/(${controlPlaneFolders.slice(0, index + 1).join('|')})/`),
  })),
  {
    rule: 'features make changes through records/changes alone, which wakes the publisher after each',
    from: /^services\/control-plane\/src\/features\//,
    except: tests,
    never: /^services\/control-plane\/src\/records\/(run-change|create-once)$/,
  },
  {
    rule: 'records of the control plane do not import Express: features read the requests',
    from: /^services\/control-plane\/src\/records\//,
    except: tests,
    never: /^express$/,
  },
  {
    rule: 'only stores, audit, database, usage, events, webhooks and publishing use Prisma',
    from: /^services\//,
    except: either(
      wiring,
      tests,
      /^services\/control-plane\/(src\/(stores|audit|database|usage|events|webhooks|publishing)\/|prisma|scripts\/)/,
    ),
    never: /^@prisma\/|\/generated\/prisma|^pg$/,
  },
  {
    rule: 'of the services, only catalog, publishing and active sessions use Redis',
    from: /^services\//,
    except: either(
      wiring,
      tests,
      /^services\/playback\/src\/catalog\//,
      /^services\/control-plane\/src\/(publishing|active-sessions)\//,
      /-limiter\.ts$/,
    ),
    never: /^ioredis/,
  },
];

/** Returns a line for each import that violates a rule. */
export function brokenArrows(imports: Import[]): string[] {
  return imports.flatMap(({ file, imported }) =>
    arrows
      .filter(({ from, except, never, within }) => {
        if (!from.test(file) || except?.test(file) || !never.test(imported)) return false;
        return within === undefined || within.exec(file)?.[0] !== within.exec(imported)?.[0];
      })
      .map(({ rule }) => `${file} imports ${imported}: ${rule}`),
  );
}
