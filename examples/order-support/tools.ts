import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool } from 'durascope';
import { z } from 'zod';
import type { Shop } from './shop.ts';

const orderId = z.string().describe('The number of the order, such as 1001');
const sku = z.string().describe('The number of the article, such as mug-blue');

export function orderTools(shop: Shop) {
  return [
    defineTool({
      name: 'find_order',
      description: 'Look an order up: who bought what, what was paid and refunded, where it is',
      input: z.object({ orderId }),
      readOnly: true,
      execute: (input) => shop.order(input.orderId),
    }),

    defineTool({
      name: 'check_stock',
      description: 'See how many pieces of an article are left',
      input: z.object({ sku }),
      readOnly: true,
      execute: (input) => shop.stock(input.sku),
    }),

    defineTool({
      name: 'refund_order',
      description: 'Pay an order back to the customer, in whole or in part. A person approves it first',
      input: z.object({ orderId, amount: z.number().positive().describe('In euros'), reason: z.string() }),
      permission: 'ask',
      // The shop keeps the key in a unique column, so a worker that finds this call begun may run it again. A tool that can't promise
      // this leaves `idempotent` out: then its turn stops at a gate, and a person says whether the refund happened.
      idempotent: true,
      async execute({ orderId, amount, reason }, { idempotencyKey, progress, signal }) {
        const refund = shop.refund({ key: idempotencyKey, orderId, amount, reason });
        progress({ message: "the refund is booked, waiting for the bank's receipt" });
        await sleep(Math.max(0, refund.receiptAt - Date.now()), undefined, { signal });
        return { refunded: refund.amount, orderId };
      },
    }),

    defineTool({
      name: 'reserve_replacement',
      description: 'Set one piece of an article aside, to be sent to the customer of an order',
      input: z.object({ orderId, sku }),
      permission: 'allow',
      idempotent: true,
      execute: (input, { idempotencyKey }) => ({
        reserved: input.sku,
        left: shop.reserve({ key: idempotencyKey, ...input }).available,
      }),
    }),
  ];
}
