import type { Figure, Row } from '../support/figure.ts';
import type { Stage } from '../support/stage.ts';
import { fanOutTime } from './teams-fan-out.ts';
import { messageToModel } from './teams-message.ts';
import { reports } from './teams-reports.ts';

/** What it costs that sessions write to each other, and that many agents work at once. */
export const teams: Figure = {
  name: 'teams',
  async measure(stage: Stage): Promise<Row[]> {
    return [await messageToModel(stage), ...(await reports(stage)), await fanOutTime(stage)];
  },
};
