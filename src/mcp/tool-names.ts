import { createHash } from 'node:crypto';

/** What endpoints take as a tool's name. */
const longest = 64;
const hashLength = 8;

/**
 * `mcp__server__tool`. A name that endpoints would not take is changed, and then always carries a hash of the original: so two tools never
 * share a name, and a tool that a server adds later never takes over another one's name and its rules.
 */
export function mcpToolName(server: string, tool: string): string {
  const prefix = `mcp__${server}__`;
  const plain = tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  if (plain === tool && tool !== '' && prefix.length + tool.length <= longest) return prefix + tool;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, hashLength);
  return `${prefix}${plain.slice(0, longest - prefix.length - hashLength - 1)}_${hash}`;
}
