import { useMemo } from 'react';
import { costOf } from '../../react/cost.ts';
import type { Usage } from '../../schema/message.ts';
import { useAgents, useService } from './queries.ts';

export interface Costs {
  ofModel: (model: string, usage: Usage) => number | undefined;
  ofAgent: (agent: string, usage: Usage) => number | undefined;
}

/** What tokens cost by the prices of the server's config; undefined where it has none. */
export function useCosts(): Costs {
  const prices = useService().data?.prices;
  const agents = useAgents().data;
  return useMemo(() => {
    const ofModel: Costs['ofModel'] = (model, usage) => {
      const price = prices?.[model];
      return price && costOf(usage, price);
    };
    return {
      ofModel,
      ofAgent: (name, usage) => {
        const agent = agents?.find((one) => one.name === name);
        return agent && ofModel(agent.model, usage);
      },
    };
  }, [prices, agents]);
}

/** In whatever currency the prices are. */
export function money(value: number): string {
  return value.toFixed(value < 1 ? 4 : 2);
}
