import { defineAgent } from 'durascope';
import { openShop } from './shop.ts';
import { orderTools } from './tools.ts';

const shop = openShop(process.env['SHOP_DB'] ?? '.durascope/shop.db');

export const support = defineAgent({
  name: 'support',
  model: process.env['DURASCOPE_DEMO_MODEL'] ?? 'openai/gpt-5-mini',
  instructions: [
    'You help the customers of a shop with their orders.',
    'Look up every order that the customer names before you act, several at once where you can.',
    'Where something arrived broken: see whether it is in stock, refund what was paid for it, and when it is in stock reserve a new one.',
    'Refunds are approved by a colleague through the tool itself: propose the call, never ask the customer for permission.',
    'Answer at the end in two or three plain sentences.',
  ].join('\n'),
  tools: orderTools(shop),
});
