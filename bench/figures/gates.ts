import type { Figure, Row } from '../support/figure.ts';
import type { Stage } from '../support/stage.ts';
import { decisionRate } from './gates-decisions.ts';
import { parkedTurns } from './gates-parked.ts';
import { resumption } from './gates-resumption.ts';

/** What waiting for people costs, and what deciding costs. */
export const gates: Figure = {
  name: 'gates',
  async measure(stage: Stage): Promise<Row[]> {
    return [decisionRate(stage.isQuick), await resumption(stage), ...(await parkedTurns(stage))];
  },
};
