const defaultPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'ws:': '80',
  'wss:': '443',
};

/**
 * Whether a URL goes to the host of a pattern: `example.com`, `*.example.com` (its subdomains, not itself), `*`, each with a port or
 * without one, which then covers every port. Only http, https, ws and wss; what is no URL matches nothing.
 */
export function matchesHostRule(url: string, pattern: string): boolean {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  const defaultPort = target && defaultPorts[target.protocol];
  const rule = readPattern(pattern);
  if (!target || defaultPort === undefined || !rule) return false;
  if (rule.port !== undefined && rule.port !== (target.port || defaultPort)) return false;
  const host = withoutFinalDot(target.hostname);
  if (rule.host === '*') return true;
  return rule.host.startsWith('*.') ? host.endsWith(rule.host.slice(1)) : host === rule.host;
}

function readPattern(pattern: string): { host: string; port?: string } | undefined {
  const match = /^(\*\.)?(\[[^\]]+\]|[^:/?#@[\]]+?)(?::(\d+))?$/.exec(pattern.trim());
  if (!match) return undefined;
  const [, wildcard = '', name = '', port] = match;
  if (name === '*') return { host: '*', ...(port ? { port } : {}) };
  // The same rules as for a URL: case, international names, spellings of addresses.
  const asUrl = `http://${name}/`;
  if (name.includes('*') || !URL.canParse(asUrl)) return undefined;
  return { host: wildcard + withoutFinalDot(new URL(asUrl).hostname), ...(port ? { port } : {}) };
}

function withoutFinalDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
