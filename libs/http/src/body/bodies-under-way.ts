/** A body of which a part has arrived. */
export interface BodyUnderWay {
  /** Forgets what has arrived and sends the client away. */
  readonly giveUp: () => void;
}

/**
 * What is held in memory of bodies that are not whole yet. Many connections times the largest body would be more than a
 * machine has: when it becomes too much, the body that has been on its way longest gives way. A regular client finishes
 * in a moment; an attacker that wants to occupy memory is slow.
 */
export class BodiesUnderWay {
  /** The oldest first. */
  private readonly sizes = new Map<BodyUnderWay, number>();
  private held = 0;

  /** @param most bytes of all together */
  constructor(private readonly most: number) {}

  grow(body: BodyUnderWay, bytes: number): void {
    this.sizes.set(body, (this.sizes.get(body) ?? 0) + bytes);
    this.held += bytes;
    for (const oldest of this.sizes.keys()) {
      if (this.held <= this.most) return;
      this.end(oldest);
      oldest.giveUp();
    }
  }

  /** Whole, given up or gone; a second time changes nothing. */
  end(body: BodyUnderWay): void {
    this.held -= this.sizes.get(body) ?? 0;
    this.sizes.delete(body);
  }
}
