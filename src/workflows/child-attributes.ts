// Workflow code: what sessions and turns are found by in Temporal. Imports contracts and @temporalio/common only.
import { TypedSearchAttributes, type SearchAttributePair } from '@temporalio/common';
import type { SessionRef } from '../contracts/ids.ts';
import { searchAttributes } from '../contracts/search-attributes.ts';

export function sessionAttributes({ ref, agent }: { ref: SessionRef; agent: string }): SearchAttributePair[] {
  return [
    { key: searchAttributes.owner, value: ref.owner },
    { key: searchAttributes.agent, value: agent },
    { key: searchAttributes.session, value: ref.sessionId },
  ];
}

/** Of what has gates and begins to run. */
export function runningAttributes(of: { ref: SessionRef; agent: string }): SearchAttributePair[] {
  return [
    ...sessionAttributes(of),
    { key: searchAttributes.state, value: 'running' },
    { key: searchAttributes.gates, value: 0 },
  ];
}

/** For the options of a child. @param isKnown the cluster knows Durascope's attributes: others it would refuse. */
export function foundBy(
  isKnown: boolean,
  attributes: SearchAttributePair[],
): { typedSearchAttributes?: TypedSearchAttributes } {
  return isKnown ? { typedSearchAttributes: new TypedSearchAttributes(attributes) } : {};
}
