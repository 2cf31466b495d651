import ipaddr from 'ipaddr.js';

/** Public by its number, and yet a service of a cloud for the machines in it. */
const platformService = '168.63.129.16';

const compatible = ipaddr.IPv6.parse('::');

/**
 * Why an IP address is not one of the public internet; undefined when it is. Whatever holds an IPv4 address inside (mapped, compatible,
 * NAT64, 6to4, Teredo) is refused as a whole: it might lead to a private one.
 */
export function whyForbidden(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return 'no IP address';
  if (address === platformService) return "a service of the machine's surroundings";
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.match(compatible, 96)) return words['ipv4Mapped'];
  const range = parsed.range();
  return range === 'unicast' ? undefined : (words[range] ?? `an address of the range ${range}`);
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
