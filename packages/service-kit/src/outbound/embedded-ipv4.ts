const zeros = (count: number) => Array.from({ length: count }, () => 0);

/** Locates an IPv4 address within an IPv6 address, identified by the first 16-bit groups. */
interface Form {
  prefix: number[];
  at: number;
}

const mappedForm: Form = { prefix: [...zeros(5), 0xffff], at: 6 }; // RFC 4291, section 2.5.5.2

/** Forms that stand for the host with the IPv4 address, whatever way its packets take. */
const translatedForms: Form[] = [
  mappedForm,
  { prefix: [...zeros(4), 0xffff, 0], at: 6 }, // IPv4-translated (RFC 2765)
  { prefix: [0x64, 0xff9b, ...zeros(4)], at: 6 }, // NAT64 (RFC 6052)
  { prefix: [0x2002], at: 1 }, // 6to4 (RFC 3056)
];

const forms: Form[] = [
  ...translatedForms,
  { prefix: zeros(6), at: 6 }, // IPv4-compatible (RFC 4291, section 2.5.5.1), including :: and ::1
];

/** Returns the IPv4 address that an IPv6 address leads to, or undefined. Expects a valid address without a zone. */
export function embeddedIpv4(address: string): string | undefined {
  return ipv4In(groupsOf(address), forms);
}

/**
 * Returns the IPv4 address of an IPv4-mapped address, as a dual-stack socket reports it; undefined for any other
 * address.
 */
export function mappedIpv4(address: string): string | undefined {
  return ipv4In(groupsOf(address), [mappedForm]);
}

function ipv4In(groups: number[], candidates: Form[]): string | undefined {
  const form = candidates.find(({ prefix }) => prefix.every((group, index) => groups[index] === group));
  if (form === undefined) return undefined;
  const bytes = groups.slice(form.at, form.at + 2).flatMap((group) => [group >> 8, group & 0xff]);
  return bytes.join('.');
}

/** Returns the IPv4 address of the host that an IPv6 address was translated from; undefined for any other address. */
export function translatedIpv4(address: string): string | undefined {
  return ipv4In(groupsOf(address), translatedForms);
}

/** Returns the eight groups of an IPv6 address without a zone. */
export function groupsOf(address: string): number[] {
  // The URL parser normalizes addresses (WHATWG URL, section 3.5): hexadecimal, with at most one "::".
  const [before = '', after] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const head = numbersOf(before);
  if (after === undefined) return head;
  const tail = numbersOf(after);
  return [...head, ...zeros(8 - head.length - tail.length), ...tail];
}

const numbersOf = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
