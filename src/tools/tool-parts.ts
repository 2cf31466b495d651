import type { ToolPart, ToolParts } from './tool.ts';

/** A result's text. Return several helpers' values in an array to make a result of several parts. */
export function text(value: string): ToolParts {
  return { parts: [{ type: 'text', text: value }] };
}

/** An image, audio or a file: bytes, base64 text, or an address that the model's endpoint can fetch. */
export type Media = { mediaType: string; name?: string } & (
  { data: Uint8Array | ArrayBuffer | string; url?: never } | { url: string | URL; data?: never }
);

/**
 * Media as a part of a result.
 *
 * @example media({ mediaType: 'image/png', data: await readFile('chart.png'), name: 'chart.png' })
 * @throws TypeError when `mediaType` is no IANA media type, `data` no base64 or `url` no http(s) or data address.
 */
export function media(source: Media): ToolParts {
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(source.mediaType)) {
    throw new TypeError(`mediaType "${source.mediaType}" must look like image/png`);
  }
  const part: ToolPart = {
    type: 'data',
    mediaType: source.mediaType,
    source:
      source.url === undefined
        ? { type: 'base64', data: base64Of(source.data) }
        : { type: 'url', url: addressOf(source.url) },
    ...(source.name === undefined ? {} : { name: source.name }),
  };
  return { parts: [part] };
}

function base64Of(data: Uint8Array | ArrayBuffer | string): string {
  if (typeof data !== 'string') return toBase64(data);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) {
    throw new TypeError(
      'data is text that is no base64: pass bytes, or encode it with Buffer.from(text).toString("base64")',
    );
  }
  return data;
}

export function toBase64(bytes: Uint8Array | ArrayBuffer): string {
  return bytes instanceof ArrayBuffer
    ? Buffer.from(bytes).toString('base64')
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function addressOf(url: string | URL): string {
  const address = String(url);
  if (!/^(https?|data):/.test(address)) {
    throw new TypeError(`url "${address}" must begin with http:, https: or data:`);
  }
  return address;
}

/** Parts are told from a JSON value that happens to have a `parts` list by each of its items. */
export function isToolParts(value: unknown): value is ToolParts {
  if (typeof value !== 'object' || value === null || !('parts' in value)) return false;
  const { parts } = value;
  return (
    Array.isArray(parts) && parts.length > 0 && Object.keys(value).length === 1 && parts.every(isToolPart)
  );
}

function isToolPart(value: unknown): value is ToolPart {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'text') return 'text' in value && typeof value.text === 'string';
  if (value.type !== 'data' || !('mediaType' in value) || typeof value.mediaType !== 'string') return false;
  const source = 'source' in value ? value.source : undefined;
  if (typeof source !== 'object' || source === null || !('type' in source)) return false;
  return source.type === 'url'
    ? 'url' in source && typeof source.url === 'string'
    : source.type === 'base64' && 'data' in source && typeof source.data === 'string';
}
