import type { InboxActivities, StepActivities, StoreActivities } from '../contracts/activities.ts';
import type { CleanUpActivities } from '../contracts/clean-up.ts';
import type { FlowActivities } from '../contracts/flow.ts';
import type { TaskActivities, TaskStoreActivities } from '../contracts/tasks.ts';
import type { ChildTurnActivities, SubmitActivities } from '../contracts/child-turns.ts';
import { answerGates } from './answer-gates.ts';
import { closeChild, openChild, readReply } from './child-turns.ts';
import type { ReminderActivities } from '../contracts/reminders.ts';
import { wakeSession } from './wake-session.ts';
import { listItems } from './compose-input.ts';
import { callModel } from './call-model.ts';
import type { ActivityDeps } from './deps.ts';
import { noticeGates, openGates } from './open-gates.ts';
import { removeKept } from './remove-kept.ts';
import { runTask } from './run-task.ts';
import { runTools } from './run-tools.ts';
import { isMember } from '../team/leave.ts';
import { concludeMemberTurn } from '../team/conclude-turn.ts';
import { deliverMessage } from './deliver-message.ts';
import { lookAfter } from './look-after.ts';
import { locateCalls } from './locate-calls.ts';
import { messagesTaken } from './inbox-messages.ts';
import { submitTurn } from './submit-turn.ts';
import { closeSubagent, openSubagent } from './subagents.ts';
import { closeTask, deliverTask, endTask, moveToBackground } from './tasks.ts';
import {
  closeSessionTurn,
  loadSession,
  openTurn,
  releaseSession,
  saveSession,
  waitingForStore,
} from './sessions.ts';

/** All that a worker registers, bound to what it works with. */
export function createActivities(deps: ActivityDeps) {
  return {
    loadSession: (input) => loadSession(deps, input),
    saveSession: (input) => saveSession(deps, input),
    releaseSession: (input) => releaseSession(deps, input),
    messagesTaken: ({ ref, ids }) => waitingForStore(() => messagesTaken(deps.store, ref, ids)),
    openTurn: (input) => openTurn(deps, input),
    openGates: (input) => openGates(deps, input),
    noticeGates: (input) => noticeGates(deps, input),
    answerGates: (input) => answerGates(deps, input),
    closeTurn: (input) => closeSessionTurn(deps, input),
    openChild: (input) => openChild(deps, input),
    closeChild: (input) => closeChild(deps, input),
    readReply: (input) => readReply(deps, input),
    wakeSession: (input) => wakeSession(deps, input),
    listItems: (input) => waitingForStore(() => listItems(deps.store, input)),
    submitTurn: (input) => submitTurn(deps, input),
    openSubagent: (input) => openSubagent(deps, input),
    closeSubagent: (input) => closeSubagent(deps, input),
    locateCalls: ({ ref, callIds }) => waitingForStore(() => locateCalls(deps.store, ref, callIds)),
    concludeMemberTurn: (input) => waitingForStore(() => concludeMemberTurn(deps.store, input)),
    isMember: ({ leader, member }) => waitingForStore(() => isMember(deps.store, leader, member)),
    deliverMessage: (input) => deliverMessage(deps, input),
    lookAfter: (input) => lookAfter(deps, input),
    moveToBackground: (input) => moveToBackground(deps, input),
    closeTask: (input) => closeTask(deps, input),
    endTask: (input) => endTask(deps, input),
    runTask: (input) => runTask(deps, input),
    deliverTask: (input) => deliverTask(deps, input),
    callModel: (input) => callModel(deps, input),
    runTools: (input) => runTools(deps, input),
    removeKept: (input) => removeKept(deps, input),
  } satisfies TaskActivities &
    TaskStoreActivities &
    StoreActivities &
    StepActivities &
    InboxActivities &
    ChildTurnActivities &
    CleanUpActivities &
    SubmitActivities &
    FlowActivities &
    ReminderActivities;
}
