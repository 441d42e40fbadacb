import type { PlacedReservation } from './slot-store';

interface PendingUndo {
  reservation: PlacedReservation;
  /** When the slot expires anyway, in milliseconds of the given clock. */
  until: number;
}

/** Bounds the memory during a long outage under load. The oldest undos are dropped; their slots become free at `expiresAt`. */
const maximumPending = 10_000;

/**
 * Reservations that Redis may have made although its reply never arrived, and that could not be undone immediately because Redis was
 * unreachable. They are undone when it is reachable again. An undo compares the reservation's nonce, so it does no harm if it comes late.
 */
export class PendingUndos {
  private pending: PendingUndo[] = [];
  private retrying = false;

  constructor(
    private readonly slots: { undo(reservation: PlacedReservation): Promise<unknown> },
    private readonly now: () => number = performance.now.bind(performance),
  ) {}

  get size(): number {
    return this.pending.length;
  }

  add(reservation: PlacedReservation, lifetimeMilliseconds: number): void {
    this.pending.push({ reservation, until: this.now() + lifetimeMilliseconds });
    if (this.pending.length > maximumPending) this.pending.shift();
  }

  /** Undoes them, oldest first. Those that fail stay for the next time. */
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
