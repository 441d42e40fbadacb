import type { ReservationReference } from './slot-store';

interface PendingUndo {
  reservation: ReservationReference;
  /** When the slot is free anyway, in milliseconds of the clock passed in. */
  until: number;
}

/** Bounds the memory of a long outage under load; the oldest are given up, whose slots are free at their `expiresAt`. */
const most = 10_000;

/**
 * Reservations of which nobody knows whether Redis made them, because its answer never came, and which could not be
 * taken back at once for the same reason. They are taken back when Redis is in reach again. An undo compares the
 * reservation's nonce, so a late one does no harm.
 */
export class PendingUndos {
  private pending: PendingUndo[] = [];
  private retrying = false;

  constructor(
    private readonly slots: { undo(reservation: ReservationReference): Promise<unknown> },
    private readonly now: () => number = performance.now.bind(performance),
  ) {}

  get size(): number {
    return this.pending.length;
  }

  add(reservation: ReservationReference, lifetimeMilliseconds: number): void {
    this.pending.push({ reservation, until: this.now() + lifetimeMilliseconds });
    if (this.pending.length > most) this.pending.shift();
  }

  /** Takes them back, oldest first. What fails stays for the next time. */
  async retry(): Promise<void> {
    if (this.retrying) return;
    this.retrying = true;
    try {
      for (let next = this.pending[0]; next !== undefined; next = this.pending[0]) {
        if (next.until > this.now()) await this.slots.undo(next.reservation);
        this.pending.shift();
      }
    } finally {
      this.retrying = false;
    }
  }
}
