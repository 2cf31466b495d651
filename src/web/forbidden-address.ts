import ipaddr from 'ipaddr.js';

/** Public by their numbers, and yet services of the machine's own surroundings. */
const metadata = new Set(['168.63.129.16', '100.100.100.200']);

/** Ranges that are told apart by nothing but their prefix. */
const prefixes: readonly (readonly [prefix: string, bits: number, what: string])[] = [
  ['::', 96, 'an IPv4 address in IPv6 form'],
  ['64:ff9b:1::', 48, 'a translated IPv4 address'],
  ['fec0::', 10, 'a site-local address'],
];

/**
 * Why an IP address is not one of the public internet; undefined when it is. Whatever holds an IPv4 address inside (mapped, NAT64, 6to4,
 * Teredo) is refused as a whole: it might lead to a private one.
 */
export function whyForbidden(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return 'no IP address';
  if (metadata.has(address)) return "a service of the machine's surroundings";
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6)
    for (const [prefix, bits, what] of prefixes)
      if (parsed.match(ipaddr.IPv6.parse(prefix), bits)) return what;
  const range = parsed.range();
  return range === 'unicast' ? undefined : (words[range] ?? `a ${range} address`);
}

const words: Readonly<Record<string, string>> = {
  loopback: 'this machine itself',
  private: 'a private address',
  uniqueLocal: 'a private address',
  linkLocal: 'a link-local address',
  carrierGradeNat: "an address inside a provider's network",
  ipv4Mapped: 'an IPv4 address in IPv6 form',
  rfc6145: 'a translated IPv4 address',
  rfc6052: 'a translated IPv4 address',
  '6to4': 'a tunnelled IPv4 address',
  teredo: 'a tunnelled IPv4 address',
  unspecified: 'this machine itself',
};
