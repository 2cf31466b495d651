/** The one thing that has to be asked of the file system. */
export interface LinkReader {
  /** The target of a symbolic link as it is written; undefined for anything else, and for what is not there. */
  readLink(path: string): Promise<string | undefined>;
}

const maxLinks = 40;

/**
 * Whether the path lies in one of the directories, as the system would resolve it: links are followed, dangling ones too, for a write
 * through one makes its target; `..` goes up from where a link led. What does not exist yet counts as plain names.
 *
 * @param directories absolute
 * @param path absolute
 */
export async function isInside(
  directories: readonly string[],
  path: string,
  links: LinkReader,
): Promise<boolean> {
  const target = await resolveLinks(path, links);
  if (target === undefined) return false;
  for (const directory of directories) {
    const root = await resolveLinks(directory, links);
    if (root !== undefined && isBelow(root, target)) return true;
  }
  return false;
}

/** The path without links, `.` and `..`; undefined when it is relative or its links go in circles. */
export async function resolveLinks(path: string, links: LinkReader): Promise<string | undefined> {
  if (!path.startsWith('/')) return undefined;
  const ahead = path.split('/');
  const done: string[] = [];
  let followed = 0;
  while (ahead.length) {
    const segment = ahead.shift()!;
    if (segment === '' || segment === '.') continue;
    if (segment === '..') {
      done.pop();
      continue;
    }
    const target = await links.readLink(`/${[...done, segment].join('/')}`);
    if (target === undefined) {
      done.push(segment);
      continue;
    }
    if (++followed > maxLinks) return undefined;
    if (target.startsWith('/')) done.length = 0;
    ahead.unshift(...target.split('/'));
  }
  return `/${done.join('/')}`;
}

/** Both absolute, without links and `..`. A directory lies in itself. */
export function isBelow(directory: string, path: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}
