import { publishedKeys } from '@multi-drm/contracts';
import {
  challenges,
  closeServers,
  everyFake,
  licenses,
  playReadyKeyMessage,
  serveFake,
  spc,
} from '@multi-drm/license-backends/testing';
import { connected, type Playback, sessionRequest, startPlayback } from '../../testing/playback';
import { publishBackend } from '../../testing/published-backend';
import { makeTenant, publish } from '../../testing/published-tenant';

let playback: Playback;

beforeAll(async () => {
  playback = startPlayback();
  await connected(playback);
});
afterEach(closeServers);
afterAll(() => playback.close());

/** How players of each DRM system send a challenge. */
const conventions: Record<keyof typeof challenges, [string, Buffer, string][]> = {
  widevine: [['raw', challenges.widevine, 'application/octet-stream']],
  playready: [
    ['bare SOAP', challenges.playready, 'text/xml; charset=utf-8'],
    ['UTF-16 XML', Buffer.from(`\ufeff${playReadyKeyMessage()}`, 'utf16le'), 'text/xml; charset=utf-16'],
  ],
  fairplay: [
    ['raw', spc, 'application/octet-stream'],
    [
      'a form',
      Buffer.from(new URLSearchParams({ spc: spc.toString('base64') }).toString()),
      'application/x-www-form-urlencoded',
    ],
    ['JSON', Buffer.from(JSON.stringify({ spc: spc.toString('base64') })), 'application/json'],
  ],
  wiseplay: [
    ['raw', challenges.wiseplay, 'application/octet-stream'],
    ['raw, labelled as JSON', challenges.wiseplay, 'application/json'],
  ],
};

const cases = everyFake.flatMap((fake) =>
  conventions[fake.drmSystem].map(([convention, body, contentType]) => ({
    ...fake,
    type: fake.settings.type,
    convention,
    body,
    contentType,
  })),
);

test.each(cases)(
  '$type gives a $drmSystem license for a challenge as $convention',
  async ({ settings, secretNames, drmSystem, serve, body, contentType }) => {
    const tenant = makeTenant();
    const manifest = { type: 'dash' as const, url: 'https://cdn.example.com/42.mpd', drmSystems: [drmSystem] };
    const content = { ...tenant.content, contentId: 'lesson-0042 ü', manifests: [manifest] };
    await playback.publish(tenant);
    await publish(playback.redis, publishedKeys.content(content.environmentId, content.contentId), content);
    const server = await serveFake(
      serve(() => new Date()),
      settings.url,
    );
    const { type, ...others } = { ...settings, url: server.url };
    const isSecret = ([name]: [string, unknown]) => secretNames.includes(name);
    const entries = Object.entries(others);
    await publishBackend(playback.redis, tenant, drmSystem, {
      type,
      settings: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
      secrets: Object.fromEntries(
        entries
          .filter(isSecret)
          .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
      ),
    });

    const request = sessionRequest({ drmSystem, contentId: content.contentId });
    const session = (await playback.create(tenant, request).expect(200)).body;
    const answer = await playback.license(session, body, contentType);
    expect(server.faults).toEqual([]);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(licenses[drmSystem]);
    expect(answer.headers['content-type']).toMatch(
      drmSystem === 'playready' ? /^text\/xml/ : 'application/octet-stream',
    );
    expect(server.requests()).toBe(1);
  },
);
