import type { ReadOnlySpec } from './read-only-commands.ts';

/** What keeps a subcommand from changing anything, for programs that are many commands in one. */
export const readOnlySubcommands: Readonly<Record<string, Readonly<Record<string, ReadOnlySpec>>>> = {
  // Not inspect: it shows the environment of a container.
  docker: {
    ps: {
      flags: 'alqns',
      valued: 'f',
      long: ['all', 'latest', 'quiet', 'size', 'no-trunc'],
      longValued: ['filter', 'format', 'last'],
      maxOperands: 0,
    },
    images: {
      flags: 'aq',
      valued: 'f',
      long: ['all', 'quiet', 'digests', 'no-trunc'],
      longValued: ['filter', 'format'],
    },
    logs: {
      flags: 'ft',
      valued: 'n',
      long: ['details', 'follow', 'timestamps'],
      longValued: ['since', 'tail', 'until'],
    },
    version: { valued: 'f', longValued: ['format'], maxOperands: 0 },
    info: { valued: 'f', longValued: ['format'], maxOperands: 0 },
  },
  gh: {
    'repo view': { valued: 'b', longValued: ['branch', 'json', 'jq', 'template'] },
    'issue list': {
      valued: 'aAlLmSsR',
      longValued: [
        'assignee',
        'author',
        'label',
        'limit',
        'milestone',
        'search',
        'state',
        'json',
        'jq',
        'template',
        'repo',
      ],
    },
    'issue view': {
      flags: 'c',
      valued: 'R',
      long: ['comments'],
      longValued: ['json', 'jq', 'template', 'repo'],
    },
    'issue status': { valued: 'R', longValued: ['json', 'jq', 'template', 'repo'] },
    'pr list': {
      flags: 'd',
      valued: 'aABHlLSsR',
      long: ['draft'],
      longValued: [
        'assignee',
        'author',
        'base',
        'head',
        'label',
        'limit',
        'search',
        'state',
        'json',
        'jq',
        'template',
        'repo',
      ],
    },
    'pr view': {
      flags: 'c',
      valued: 'R',
      long: ['comments'],
      longValued: ['json', 'jq', 'template', 'repo'],
    },
    'pr status': {
      flags: 'c',
      valued: 'R',
      long: ['conflict-status'],
      longValued: ['json', 'jq', 'template', 'repo'],
    },
    'pr checks': { valued: 'R', long: ['required'], longValued: ['json', 'jq', 'template', 'repo'] },
    'pr diff': { valued: 'R', long: ['name-only', 'patch'], longValued: ['color', 'repo'] },
    'run list': {
      valued: 'bcLsuweR',
      longValued: [
        'branch',
        'commit',
        'limit',
        'status',
        'user',
        'workflow',
        'json',
        'jq',
        'template',
        'repo',
      ],
    },
    'run view': {
      flags: 'v',
      valued: 'aj',
      long: ['log', 'log-failed', 'verbose'],
      longValued: ['attempt', 'job', 'json', 'jq', 'template', 'repo'],
    },
    'release list': { valued: 'LOR', longValued: ['limit', 'order', 'json', 'jq', 'template', 'repo'] },
    'release view': { valued: 'R', longValued: ['json', 'jq', 'template', 'repo'] },
    'workflow list': {
      flags: 'a',
      valued: 'LR',
      long: ['all'],
      longValued: ['limit', 'json', 'jq', 'template', 'repo'],
    },
    'auth status': { flags: 'a', valued: 'h', long: ['active'], longValued: ['hostname'] },
  },
  npm: {
    ls: npmList(),
    list: npmList(),
    '--version': { maxOperands: 0 },
    '-v': { maxOperands: 0 },
  },
  pip: pip(),
  pip3: pip(),
};

function npmList(): ReadOnlySpec {
  return {
    flags: 'aglp',
    long: ['all', 'json', 'long', 'parseable', 'global', 'link'],
    longValued: ['depth', 'omit', 'include'],
  };
}

function pip(): Readonly<Record<string, ReadOnlySpec>> {
  return {
    list: {
      flags: 'ou',
      long: [
        'outdated',
        'uptodate',
        'editable',
        'local',
        'user',
        'not-required',
        'include-editable',
        'exclude-editable',
      ],
      longValued: ['format', 'exclude'],
      maxOperands: 0,
    },
    show: { flags: 'fv', long: ['files', 'verbose'] },
    '--version': { maxOperands: 0 },
  };
}
