import { userInfo } from 'node:os';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { actorOf, withActorOptions, type ActorOptions } from '../../src/cli/actor.ts';

const read = (...args: string[]) =>
  actorOf(withActorOptions(new Command(), 'who answers').parse(args, { from: 'user' }).opts<ActorOptions>());

describe('who acts at the command line', () => {
  it('is the user, or whoever --actor names, with the roles that --role gives, one each', () => {
    expect(read()).toEqual({ id: userInfo().username });
    expect(read('--actor', 'ann', '--role', 'accounting', '--role', 'board')).toEqual({
      id: 'ann',
      roles: ['accounting', 'board'],
    });
  });
});
