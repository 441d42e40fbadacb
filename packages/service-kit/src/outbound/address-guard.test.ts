import { AddressGuard } from './address-guard';
import { parseAllowList } from './allow-list';

const guard = new AddressGuard();
const allowing = (text: string) => new AddressGuard(parseAllowList(text).allowed);

test.each([
  ['unspecified', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['private', '10.0.0.1'],
  ['carrier-grade NAT', '100.64.0.1'],
  ["Alibaba Cloud's metadata", '100.100.100.200'],
  ['loopback', '127.0.0.1'],
  ['loopback, elsewhere', '127.255.255.254'],
  ['cloud metadata', '169.254.169.254'],
  ['private', '172.16.0.1'],
  ['private, its end', '172.31.255.255'],
  ['IETF protocols', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['6to4 relay', '192.88.99.1'],
  ['private', '192.168.1.1'],
  ['benchmarks', '198.19.255.255'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ["Azure's platform", '168.63.129.16'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['loopback, written out', '0:0:0:0:0:0:0:1'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['unique-local', 'fd00:ec2::254'],
  ['multicast', 'ff02::1'],
  ['discard-only', '100::1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['ORCHID', '2001:20::1'],
  ['segment routing', '5f00::1'],
  ['local-use NAT64', '64:ff9b:1::808:808'],
  ['IPv4-mapped', '::ffff:127.0.0.1'],
  ['IPv4-mapped in hexadecimal', '::ffff:a9fe:a9fe'],
  ['IPv4-mapped, written out', '0000:0000:0000:0000:0000:FFFF:0A00:0001'],
  ['IPv4-compatible', '::10.0.0.1'],
  ['IPv4-translated', '::ffff:0:127.0.0.1'],
  ['NAT64', '64:ff9b::10.0.0.1'],
  ['6to4', '2002:7f00:1::1'],
  ['6to4', '2002:c0a8:101::'],
  ['a name', 'localhost'],
  ['nothing', ''],
  ['a number', '2130706433'],
  ['octal', '0177.0.0.1'],
])('refuses %s: %s', (_kind, address) => {
  expect(guard.refuses(address)).toBe(true);
});

test.each([
  ...['8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '172.15.255.255', '172.32.0.0'],
  ...['192.0.1.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '168.63.129.17'],
  ...['2a00:1450:4001::200e', '2606:4700::1111', '2001:4860:4860::8888', '2001:db9::1'],
  ...['::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1'],
])('allows a public address: %s', (address) => {
  expect(guard.refuses(address)).toBe(false);
});

describe('what the operator allows', () => {
  test('networks, in every form of their addresses, and nothing else', () => {
    const allowed = allowing('10.1.0.0/16, 127.0.0.1, fd00:1::/32');
    for (const address of ['10.1.255.1', '127.0.0.1', 'fd00:1:2::1', '::ffff:10.1.0.1', '64:ff9b::a01:1']) {
      expect(allowed.refuses(address)).toBe(false);
    }
    for (const address of ['10.2.0.1', '127.0.0.2', 'fd00:2::1', '::1', '::ffff:10.2.0.1']) {
      expect(allowed.refuses(address)).toBe(true);
    }
  });

  test('hosts by their full name, in any case, with or without a trailing dot', () => {
    const allowed = allowing('DRM.internal,license_server');
    expect(
      ['drm.internal', 'Drm.Internal', 'drm.internal.', 'license_server'].map((host) => allowed.allowsHost(host)),
    ).toEqual([true, true, true, true]);
    expect(['a.drm.internal', 'internal', 'drm.internal.example'].map((host) => allowed.allowsHost(host))).toEqual([
      false,
      false,
      false,
    ]);
    expect(allowed.refuses('127.0.0.1')).toBe(true);
  });

  test('a host of a URL is listed by its name, or by the address that it is', () => {
    const allowed = allowing('hooks.internal, 127.0.0.1, fd00:1::/32');
    for (const host of ['hooks.internal', '127.0.0.1', '[fd00:1::5]']) expect(allowed.lists(host)).toBe(true);
    for (const host of ['hooks.example', '127.0.0.2', '8.8.8.8', '[fd00:2::5]'])
      expect(allowed.lists(host)).toBe(false);
  });

  test('every invalid entry is reported, and valid ones still apply', () => {
    const invalid =
      '10.0.0.0/33, *.internal, https://a.example, a.example:80, 2130706433, 127.1, 0x7f.0x1, fe80::1%lo, 10.0.0.0/, ok.example,,';
    const { allowed, errors } = parseAllowList(invalid);
    expect(errors).toHaveLength(9);
    expect(errors[0]).toBe('"10.0.0.0/33" is not a host name, an IP address or a CIDR');
    expect([...allowed.hosts]).toEqual(['ok.example']);
  });

  test('nothing by default', () => {
    expect(parseAllowList('')).toMatchObject({ errors: [], allowed: { hosts: new Set() } });
  });
});
