import type { Shop } from '../shop.ts';

export interface Proof {
  isRight: boolean;
  lines: string[];
}

/**
 * What the shop's own rows say about the refund of an order.
 *
 * @param succeeded how many refund calls of the turn came back with success
 */
export function proveRefund(shop: Shop, orderId: string, succeeded: number): Proof {
  const requests = shop.refundRequests(orderId);
  const refunds = shop.refunds(orderId);
  const lines = [
    `refund_requests of order ${orderId}: ${rows(requests.length)}`,
    ...requests.map(({ workerPid, key }) => `  asked by worker process ${workerPid}, key ${key}`),
    `refunds of order ${orderId}: ${rows(refunds.length)}`,
    ...refunds.map(({ amount, key }) => `  ${amount.toFixed(2)} EUR, key ${key}`),
  ];
  const isRight = refunds.length === succeeded;
  return { isRight, lines: [...lines, verdict(isRight, orderId, succeeded)] };
}

function verdict(isRight: boolean, orderId: string, succeeded: number): string {
  if (!isRight) return `WRONG: the turn made ${succeeded}. Please report this.`;
  if (succeeded === 0) return `No refund of order ${orderId} was made.`;
  if (succeeded > 1) return `Order ${orderId} was refunded in ${succeeded} parts, each made exactly once.`;
  return `The refund of order ${orderId} was made exactly once.`;
}

function rows(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}
