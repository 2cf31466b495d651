import type { PendingCall } from '../client/index.ts';
import type { ApprovalPolicy, GateDeadline } from '../core/approval.ts';
import { formatRule } from '../core/permission-rule.ts';
import type { Question } from '../schema/event.ts';
import { answersTo } from './finish.ts';
import { oneLine, printable, type Style } from './text.ts';

const waitsFor: Partial<Record<PendingCall['state'], string>> = {
  asking: 'approval',
  submitted: 'its system',
  uncertain: 'reconciling',
};

/** A waiting call as a person judges it: what, where, why, and what an answer may be. Pure. */
export function renderGate(call: PendingCall, style: Style): string[] {
  const { colors, width } = style;
  const what = call.question ? 'an answer' : (waitsFor[call.state] ?? call.state);
  return [
    `${colors.bold(call.callId)}  ${printable(call.name)} waits for ${what}`,
    `  session ${call.sessionId} · turn ${call.turn}`,
    ...(call.question ? [] : [`  ${oneLine(call.arguments, width)}`]),
    ...gateFacts(call, style).map((line) => `  ${line}`),
    // How to approve is known; what these wait for is rare.
    ...(call.state === 'asking' ? [] : answersTo(call).map((line) => `  ${line}`)),
  ];
}

/** Why it waits, who may answer until when, who allowed it so far, what it asks, and the rules that would settle its like. */
export function gateFacts(call: PendingCall, { colors, width }: Style): string[] {
  const { question, votes = [], votesNeeded, reason } = call;
  if (question)
    return [
      ...questionLines(question),
      ...(question.id === undefined ? [] : [`answer it with --question ${question.id}`]),
      ...policyLines(call),
    ];
  const rules = rememberable(call);
  return [
    ...(reason === undefined ? [] : [`why: ${oneLine(reason, width)}`]),
    ...(call.isSafety ? [colors.yellow('for safety it is asked each time, whatever the rules say')] : []),
    ...votes.map(
      (vote) =>
        `allowed by ${printable(vote.actor)}${vote.arguments === call.arguments ? '' : ` as ${oneLine(vote.arguments, width)}`}`,
    ),
    ...(votesNeeded === undefined ? [] : [`${votes.length} of ${votesNeeded} people have allowed it`]),
    ...policyLines(call),
    ...(rules.length === 0 ? [] : [`rules: ${rules.map((rule) => printable(formatRule(rule))).join(' · ')}`]),
  ];
}

function policyLines({ approval, deadline }: PendingCall): string[] {
  return [
    ...(approval?.by === undefined || approval.by === 'anyone' ? [] : [`may answer: ${whoMay(approval.by)}`]),
    ...(deadline ? [`until ${deadline.dueAt}: ${whenOverdue[deadline.action]}`] : []),
  ];
}

function whoMay(by: Exclude<NonNullable<ApprovalPolicy['by']>, 'anyone'>): string {
  if (by === 'requester') return 'who asked for it';
  if (by === 'not_requester') return 'anyone but who asked for it';
  const roles = (by.roles ?? []).map((role) => `role ${role}`);
  return printable([...(by.people ?? []), ...roles].join(', '));
}

const whenOverdue: Record<GateDeadline['action'], string> = {
  deny: 'then it is denied',
  escalate: 'then other people may answer',
  wait: 'then people are reminded',
};

/** Rules that "remember" may add, narrowest first: none for what no rule can grant. */
export function rememberable({
  isSafety,
  suggestedRules = [],
}: PendingCall): NonNullable<PendingCall['suggestedRules']> {
  return isSafety ? [] : suggestedRules;
}

export function questionLines({ question, options = [], isFree, isSecret }: Question): string[] {
  return [
    printable(question),
    ...options.map(
      ({ label, description }, i) =>
        `  ${i + 1}  ${printable(label)}${description === undefined ? '' : ` · ${printable(description)}`}`,
    ),
    ...(isFree && options.length > 0 ? ['  or an answer of your own'] : []),
    ...(isSecret ? ['  the answer is a secret: it stays out of transcript, events and logs'] : []),
  ];
}
