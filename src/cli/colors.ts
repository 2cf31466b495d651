import pc from 'picocolors';

/** Colors of a stream: only where a terminal shows them. (picocolors alone takes CI for one.) */
export function colorsOf(stream: { isTTY?: boolean }): ReturnType<typeof pc.createColors> {
  return pc.createColors(pc.isColorSupported && stream.isTTY === true);
}
