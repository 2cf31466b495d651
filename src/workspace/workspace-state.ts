import { randomUUID } from 'node:crypto';
import type { SessionSlots } from '../tools/tool.ts';
import { ownFolder } from './session-folder.ts';
import { WorkspaceError, type Workspace } from './workspace.ts';

const slot = 'workspace';
const marker = `${ownFolder}/workspace.json`;
const maxSeen = 500;

/** What a session knows of its workspace; it lies in the store, so it outlives the folder. */
type State = {
  /** Also in a file of the folder: another one there, or none, and the folder is not what it was. */
  id: string;
  /** What the model has seen of files: their content's hash by path below the root, oldest first. */
  seen: Record<string, string>;
  /** When the loss of the folder was noticed. */
  lostAt?: string;
};

/**
 * Holds the folder against what the session knows of it.
 *
 * @returns what the model should know when files of an earlier step or turn are gone
 */
export async function recognize(workspace: Workspace, slots: SessionSlots): Promise<string | undefined> {
  const [found, known] = [await readMarker(workspace), await slots.read<State>(slot)];
  if (known && known.id === found) return noticeOf(known);
  const id = found ?? randomUUID();
  if (found === undefined) await writeMarker(workspace, id);
  const state: State = { id, seen: {}, ...(known ? { lostAt: new Date().toISOString() } : {}) };
  await slots.update<State>(slot, () => state);
  return noticeOf(state);
}

function noticeOf({ lostAt }: State): string | undefined {
  if (lostAt === undefined) return undefined;
  return `On ${lostAt} this session went on with another workspace folder than before: files that were made or changed earlier are lost, and processes too. Look at what is there before you build on it, and tell the user what is missing.`;
}

async function readMarker(workspace: Workspace): Promise<string | undefined> {
  try {
    const content: unknown = JSON.parse(
      new TextDecoder().decode(await workspace.read(marker, { maxBytes: 1000 })),
    );
    return typeof content === 'object' &&
      content !== null &&
      'id' in content &&
      typeof content.id === 'string'
      ? content.id
      : undefined;
  } catch (error) {
    // Commands can spoil it: then it is no marker.
    if (error instanceof SyntaxError) return undefined;
    if (error instanceof WorkspaceError && error.code !== 'io') return undefined;
    throw error;
  }
}

async function writeMarker(workspace: Workspace, id: string): Promise<void> {
  const content = new TextEncoder().encode(`${JSON.stringify({ id })}\n`);
  await workspace.write(marker, content).catch((error: unknown) => {
    if (!(error instanceof WorkspaceError) || error.code === 'io') throw error;
  });
}

/** Notes that the model knows this content. @param path of the workspace, links resolved */
export async function rememberSeen(slots: SessionSlots, path: string, hash: string): Promise<void> {
  await slots.update<State>(slot, (state) => {
    const { [path]: _, ...others } = state?.seen ?? {};
    const kept = Object.entries(others).slice(-(maxSeen - 1));
    return { id: '', ...state, seen: { ...Object.fromEntries(kept), [path]: hash } };
  });
}

/** @returns why this file may not be changed now: the model does not know what is in it. */
export async function whyUnseen(
  workspace: Workspace,
  slots: SessionSlots,
  path: string,
): Promise<string | undefined> {
  const seen = (await slots.read<State>(slot))?.seen[path];
  if (seen === undefined) return `${path} exists but has not been read yet: read it first, then change it`;
  return seen === (await workspace.hash(path))
    ? undefined
    : `${path} has changed since it was read: read it again, then change it`;
}
