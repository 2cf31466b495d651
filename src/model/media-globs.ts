import type { ModelCapabilities } from './model.ts';

/** Whether a model takes a media type as input: `image/*` covers `image/png`. */
export function takesMedia({ inputMedia }: ModelCapabilities, mediaType: string): boolean {
  return inputMedia.some((glob) =>
    glob.endsWith('/*') ? mediaType.startsWith(glob.slice(0, -1)) : glob === mediaType,
  );
}
