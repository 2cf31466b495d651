import { calls, says, type Responder, type ScriptedRequest, type Step } from 'durascope/testing';
import type { Order, Stock } from '../shop.ts';

const wire = { fragment: 6, delayMs: 20 };

/** What a model would do in this shop, decided from the conversation alone: a worker that takes over gets the answer that is due next. */
export const scriptedReplies: Responder = (request): Step => {
  const [broken, other] = request.messages[0]?.text.match(/\b\d{4,}\b/g) ?? [];
  if (broken === undefined || other === undefined) return says('Which two orders do you mean?', wire);
  const orders = resultsOf<Order>(request, 'find_order');
  const order = orders.find(({ orderId }) => orderId === broken);
  const otherOrder = orders.find(({ orderId }) => orderId === other);

  if (request.results('find_order').length === 0)
    return calls(
      [
        ['find_order', { orderId: broken }],
        ['find_order', { orderId: other }],
      ],
      { text: 'I look up both orders.', ...wire },
    );
  if (!order || !otherOrder) return says("I can't find both orders, please check their numbers.", wire);

  const [stock] = resultsOf<Stock>(request, 'check_stock');
  if (!stock)
    return calls('check_stock', { sku: order.sku }, { text: 'A broken mug: is there another one?', ...wire });

  if (request.results('refund_order').length === 0)
    return calls(
      'refund_order',
      { orderId: order.orderId, amount: order.paid, reason: `${stock.name} arrived broken` },
      { text: `There is. I propose to refund the ${euros(order.paid)}.`, ...wire },
    );
  const isRefunded = resultsOf(request, 'refund_order').length > 0;
  if (isRefunded && request.results('reserve_replacement').length === 0)
    return calls(
      'reserve_replacement',
      { orderId: order.orderId, sku: order.sku },
      { text: 'Refunded. Now a new one is set aside.', ...wire },
    );

  const outcome = isRefunded
    ? `Order ${order.orderId}: ${euros(order.paid)} are on their way back to you, and a new ${stock.name.toLowerCase()} is set aside.`
    : `Order ${order.orderId}: my colleague did not approve the refund, and will write to you.`;
  return says(`${outcome} Order ${otherOrder.orderId} is ${otherOrder.status}.`, wire);
};

function euros(amount: number): string {
  return `${amount.toFixed(2)} EUR`;
}

/** Without those that are no JSON: the texts of ERROR and DENIED results. */
function resultsOf<T>(request: ScriptedRequest, tool: string): T[] {
  return request.results(tool).flatMap(({ text }) => {
    try {
      return [JSON.parse(text) as T];
    } catch {
      return [];
    }
  });
}
