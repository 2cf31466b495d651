import type { DataBlock, DataSource } from '../schema/message.ts';

/** The URL by which an endpoint is given media: its own, or a `data:` URL that holds it. */
export function urlOf({ mediaType, source }: Pick<DataBlock, 'mediaType' | 'source'>): string {
  return source.type === 'url' ? source.url : `data:${mediaType};base64,${source.data}`;
}

/** The reverse; undefined for an empty URL. `mediaType` is what a plain link is taken for. */
export function mediaFromUrl(
  url: string,
  mediaType: string,
): { mediaType: string; source: DataSource } | undefined {
  if (url === '') return undefined;
  const embedded = /^data:([^;,]+);base64,/.exec(url);
  if (!embedded) return { mediaType, source: { type: 'url', url } };
  return {
    mediaType: embedded[1] ?? mediaType,
    source: { type: 'base64', data: url.slice(embedded[0].length) },
  };
}
