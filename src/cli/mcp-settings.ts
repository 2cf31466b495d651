import { resolveSettings, type Flags, type Settings } from '../settings/settings.ts';

/** With the config where there is one: a folder without it may still have servers of its own. */
export async function findSettings(flags: Flags): Promise<Settings> {
  const settings = await resolveSettings(flags);
  if (settings.config || !settings.dev) return settings;
  // What a running "durascope dev" has said of the config is not enough: its servers are wanted.
  return resolveSettings(flags, { needsConfig: true });
}
