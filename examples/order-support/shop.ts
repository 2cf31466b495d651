import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface Order {
  orderId: string;
  customer: string;
  status: 'delivered' | 'on its way';
  sku: string;
  paid: number;
  refunded: number;
}

export interface Stock {
  sku: string;
  name: string;
  price: number;
  available: number;
}

export interface Refund {
  key: string;
  orderId: string;
  amount: number;
  /** When the bank's receipt is there, in milliseconds since the epoch. */
  receiptAt: number;
}

/** Somebody asked for a refund: every request leaves a row, whether or not it made one. */
export interface RefundRequest {
  key: string;
  workerPid: number;
}

export type Shop = ReturnType<typeof openShop>;

/** What the shop's bank takes for a receipt. */
const bankMs = 5_000;

const tables = `
  CREATE TABLE IF NOT EXISTS stock (
    sku TEXT PRIMARY KEY, name TEXT NOT NULL, price_cents INTEGER NOT NULL, available INTEGER NOT NULL CHECK (available >= 0)
  );
  CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT NOT NULL, status TEXT NOT NULL, sku TEXT NOT NULL REFERENCES stock,
    paid_cents INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS refunds (
    idempotency_key TEXT PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, amount_cents INTEGER NOT NULL,
    reason TEXT NOT NULL, receipt_at INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS refund_requests (
    id INTEGER PRIMARY KEY, idempotency_key TEXT NOT NULL, order_id INTEGER NOT NULL, worker_pid INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS reservations (
    idempotency_key TEXT PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, sku TEXT NOT NULL REFERENCES stock
  );
  INSERT OR IGNORE INTO stock VALUES ('mug-blue', 'Blue mug', 2450, 250), ('kettle', 'Kettle', 6900, 30);
  INSERT INTO orders SELECT * FROM (
    VALUES (1001, 'Ada', 'delivered', 'mug-blue', 2450), (1002, 'Ada', 'on its way', 'kettle', 6900)
  ) WHERE NOT EXISTS (SELECT 1 FROM orders);
`;

/** A shop in one SQLite file, with the orders 1001 and 1002. Several processes may have it open. */
export function openShop(path: string) {
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path, { timeout: 10_000 });
  db.exec('PRAGMA journal_mode = WAL');
  db.exec(`BEGIN IMMEDIATE; ${tables} COMMIT`);

  const inTransaction = <T>(work: () => T): T => {
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  };

  const order = (orderId: string): Order => {
    const row = db
      .prepare(
        `SELECT CAST(id AS TEXT) AS orderId, customer, status, sku, paid_cents / 100.0 AS paid,
           (SELECT COALESCE(SUM(amount_cents), 0) / 100.0 FROM refunds WHERE order_id = orders.id) AS refunded
         FROM orders WHERE id = CAST(? AS INTEGER)`,
      )
      .get(orderId);
    if (row === undefined) throw new Error(`There is no order ${orderId}.`);
    return { ...row } as unknown as Order;
  };

  const refunds = (orderId: string): Refund[] =>
    db
      .prepare(
        `SELECT idempotency_key AS key, CAST(order_id AS TEXT) AS orderId, amount_cents / 100.0 AS amount, receipt_at AS receiptAt
         FROM refunds WHERE order_id = ?`,
      )
      .all(Number(orderId)) as unknown as Refund[];

  const shop = {
    /** A mug that was delivered and a kettle on its way; returns the ids of the two orders. */
    placeOrders(customer: string): [mug: string, kettle: string] {
      const insert = db.prepare('INSERT INTO orders (customer, status, sku, paid_cents) VALUES (?, ?, ?, ?)');
      return inTransaction(() => [
        String(insert.run(customer, 'delivered', 'mug-blue', 2450).lastInsertRowid),
        String(insert.run(customer, 'on its way', 'kettle', 6900).lastInsertRowid),
      ]);
    },

    order,
    refunds,

    stock(sku: string): Stock {
      const row = db
        .prepare('SELECT sku, name, price_cents / 100.0 AS price, available FROM stock WHERE sku = ?')
        .get(sku);
      if (row === undefined) throw new Error(`There is no article ${sku}.`);
      return { ...row } as unknown as Stock;
    },

    /** Pays money back, once for each key: a repeat answers the refund that the first request made. */
    refund(request: { key: string; orderId: string; amount: number; reason: string }): Refund {
      const { key, orderId, amount, reason } = request;
      const { paid, refunded } = order(orderId);
      db.prepare('INSERT INTO refund_requests (idempotency_key, order_id, worker_pid) VALUES (?, ?, ?)').run(
        key,
        Number(orderId),
        process.pid,
      );
      const made = (): Refund | undefined => refunds(orderId).find((refund) => refund.key === key);
      return inTransaction(() => {
        const before = made();
        if (before !== undefined) return before;
        if (amount > paid - refunded)
          throw new Error(
            `Order ${orderId} was paid with ${paid} EUR, of which ${refunded} EUR are refunded.`,
          );
        db.prepare('INSERT INTO refunds VALUES (?, ?, ?, ?, ?)').run(
          key,
          Number(orderId),
          Math.round(amount * 100),
          reason,
          Date.now() + bankMs,
        );
        return made() as Refund;
      });
    },

    refundRequests(orderId: string): RefundRequest[] {
      return db
        .prepare(
          'SELECT idempotency_key AS key, worker_pid AS workerPid FROM refund_requests WHERE order_id = ? ORDER BY id',
        )
        .all(Number(orderId)) as unknown as RefundRequest[];
    },

    /** Sets one piece aside for an order, once for each key. */
    reserve({ key, orderId, sku }: { key: string; orderId: string; sku: string }): Stock {
      inTransaction(() => {
        const { changes } = db
          .prepare('INSERT OR IGNORE INTO reservations VALUES (?, ?, ?)')
          .run(key, Number(orderId), sku);
        if (changes === 0) return;
        const taken = db
          .prepare('UPDATE stock SET available = available - 1 WHERE sku = ? AND available > 0')
          .run(sku);
        if (taken.changes === 0) throw new Error(`No ${sku} is left in stock.`);
      });
      return shop.stock(sku);
    },

    close: () => db.close(),
  };
  return shop;
}
