/** A team as its leader's session keeps it. Plain data; the functions below make the next one of it. */
export interface Team {
  /** The call that created it. */
  id: string;
  name: string;
  description: string;
  /** The leader's name in the team. */
  leader: string;
  members: TeamMember[];
  limits: TeamLimits;
  /** Messages that members and leader sent, and turns of members that have ended. */
  counts: { messages: number; turns: number };
  /** What was counted last, by whom: a repeat is not counted again. */
  counted: Record<string, string>;
}

export interface TeamMember {
  name: string;
  description: string;
  sessionId: string;
  agent: string;
  role: 'created' | 'invited';
  /** The call that added it. */
  key: string;
}

export interface TeamLimits {
  members: number;
  messages: number;
  turns: number;
}

/** A rule of teams that a call breaks, in words that a model can act on. */
export class TeamRuleError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TeamRuleError';
  }
}

const memberName = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const reserved = new Set(['all', 'team', 'everyone', 'leader', 'system', 'user']);

/** @param taken names that stand for somebody else where this team speaks. */
export function addMember(team: Team, member: TeamMember, taken: readonly string[] = []): Team {
  if (team.members.some(({ key }) => key === member.key)) return team;
  const { name } = member;
  if (!memberName.test(name))
    throw new TeamRuleError(
      `"${name}" can't name a member: write 1 to 32 letters, digits, "_" and "-", the first a letter, such as "ann"`,
    );
  if (reserved.has(name.toLowerCase()))
    throw new TeamRuleError(`"${name}" can't name a member: it has a meaning of its own`);
  const others = [team.leader, ...team.members.map((other) => other.name), ...taken];
  const clash = others.find((other) => other.toLowerCase() === name.toLowerCase());
  if (clash !== undefined)
    throw new TeamRuleError(`there is a ${clash} already: choose a name that nobody in reach has`);
  if (team.members.some(({ sessionId }) => sessionId === member.sessionId))
    throw new TeamRuleError(`session ${member.sessionId} is a member already`);
  if (team.members.length >= team.limits.members)
    throw new TeamRuleError(
      `the team has ${team.members.length} members, which is its limit: give the work to one of them`,
    );
  if (isSpent(team, 'turns')) throw new TeamRuleError(spentText(team, 'turns'));
  return { ...team, members: [...team.members, member] };
}

export function removeMember(team: Team, key: string): Team {
  const members = team.members.filter((member) => member.key !== key);
  return members.length === team.members.length ? team : { ...team, members };
}

/** The names that a message goes to. */
export function recipientsOf(team: Team, from: string, to: string | undefined): string[] {
  const everybody = [team.leader, ...team.members.map(({ name }) => name)];
  const others = everybody.filter((name) => name !== from);
  if (to === undefined) {
    if (others.length === 0) throw new TeamRuleError('the team has no members yet: create one first');
    return others;
  }
  const wanted = to.toLowerCase();
  const found =
    everybody.find((name) => name === to) ??
    (wanted === 'leader' ? team.leader : everybody.find((name) => name.toLowerCase() === wanted));
  if (found === undefined)
    throw new TeamRuleError(`there is no ${to} in the team: its members are ${everybody.join(', ')}`);
  if (found === from)
    throw new TeamRuleError(`${to} is you: name somebody else, or leave "to" out to tell all`);
  return [found];
}

/** Counts what `by` did; the same `key` again is not counted. A team whose budget is used up stays as it is. */
export function count(team: Team, what: 'messages' | 'turns', by: string, key: string): Team {
  const place = `${what}/${by}`;
  if (team.counted[place] === key || (what === 'messages' && isSpent(team, what))) return team;
  return {
    ...team,
    counts: { ...team.counts, [what]: team.counts[what] + 1 },
    counted: { ...team.counted, [place]: key },
  };
}

export function isCounted(team: Team, what: 'messages' | 'turns', by: string, key: string): boolean {
  return team.counted[`${what}/${by}`] === key;
}

export function isSpent({ counts, limits }: Team, what: 'messages' | 'turns'): boolean {
  return counts[what] >= limits[what];
}

/** What a model reads when a budget is used up. */
export function spentText(team: Team, what: 'messages' | 'turns'): string {
  return what === 'messages'
    ? `the team's budget of ${team.limits.messages} messages is used up: no more can be sent. Members end their turn with a final answer, which reaches the leader by itself; the leader finishes with what there is`
    : `the team's budget of ${team.limits.turns} turns of its members is used up: no member begins another one. The leader finishes with what there is`;
}
