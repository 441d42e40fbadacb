import { publishedKeys } from '@multi-drm/contracts';
import { splitSettings } from '@multi-drm/license-backends';
import {
  challenges,
  closeServers,
  everyFake,
  licenses,
  playReadyKeyMessage,
  serveFake,
  spcRequests,
  spcs,
  type SpcRequest as Way,
} from '@multi-drm/license-backends/testing';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { publishBackend } from '../testing/published-backend';
import { makeTenant, publish } from '../testing/published-tenant';

let playback: Playback;

beforeAll(async () => {
  playback = await startPlayback();
});
afterEach(closeServers);

const octets = 'application/octet-stream';

/** The forms in which players of each DRM system send a challenge. */
const requests: { drmSystem: keyof typeof challenges; what: string; challenge: Buffer; ways: Record<string, Way> }[] = [
  {
    drmSystem: 'widevine',
    what: 'a challenge',
    challenge: challenges.widevine,
    ways: { raw: { body: challenges.widevine, contentType: octets } },
  },
  {
    drmSystem: 'playready',
    what: 'a challenge',
    challenge: challenges.playready,
    ways: {
      'bare SOAP': { body: challenges.playready, contentType: 'text/xml; charset=utf-8' },
      'UTF-16 XML': {
        body: Buffer.from(`\ufeff${playReadyKeyMessage()}`, 'utf16le'),
        contentType: 'text/xml; charset=utf-16',
      },
      'SOAP in base64url': { body: Buffer.from(challenges.playready.toString('base64url')), contentType: 'text/plain' },
    },
  },
  ...Object.entries(spcs).map(([version, challenge]) => ({
    drmSystem: 'fairplay' as const,
    what: `an SPC of ${version}`,
    challenge,
    ways: spcRequests(challenge),
  })),
  {
    drmSystem: 'wiseplay',
    what: 'a challenge',
    challenge: challenges.wiseplay,
    ways: {
      raw: { body: challenges.wiseplay, contentType: octets },
      'labelled as JSON': { body: challenges.wiseplay, contentType: 'application/json' },
    },
  },
];

const cases = everyFake.flatMap((fake) =>
  requests
    .filter(({ drmSystem }) => drmSystem === fake.drmSystem)
    .map((request) => ({ ...fake, ...request, type: fake.settings.type })),
);

test.each(cases)(
  '$type receives $what of $drmSystem byte for byte, in every form that players send, and its license is returned',
  async ({ settings, drmSystem, serve, challenge, ways }) => {
    const tenant = makeTenant();
    const manifest = { type: 'dash' as const, url: 'https://cdn.example.com/42.mpd', drmSystems: [drmSystem] };
    const content = { ...tenant.content, contentId: 'lesson-0042 ü', manifests: [manifest] };
    await playback.publish(tenant);
    await publish(playback.redis, publishedKeys.content(content.environmentId, content.contentId), content);
    const server = await serveFake(
      serve(() => new Date(), challenge),
      settings.url,
    );
    const { open, secret } = splitSettings({ ...settings, url: server.url });
    const texts = Object.entries(secret).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    await publishBackend(playback.redis, tenant, drmSystem, {
      type: settings.type,
      settings: open,
      secrets: Object.fromEntries(texts),
    });

    const request = sessionRequest({ drmSystem, contentId: content.contentId });
    const session = (await playback.create(tenant, request).expect(200)).body;
    for (const [way, { body, contentType }] of Object.entries(ways)) {
      const answer = await playback.license(session, body, contentType);
      expect([way, answer.status, server.errors]).toEqual([way, 200, []]);
      expect(answer.body).toEqual(licenses[drmSystem]);
      expect(answer.headers['content-type']).toMatch(drmSystem === 'playready' ? /^text\/xml/ : octets);
    }
    expect(server.requests()).toBe(Object.keys(ways).length);
  },
);
