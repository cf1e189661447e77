import { hashOfSecret } from '@app/keys';

const provenFor = 15 * 60 * 1000;
const most = 10_000;

/**
 * Remembers, as hashes, the keys and tokens that were accepted within the last quarter of an hour. While an address is
 * blocked for its wrong ones, only these are still checked: an attacker who guesses is stopped, also when the guess is
 * right, and a portal that shares the address works on.
 */
export class ProvenCredentials {
  /** Monotonic time of the last acceptance, the oldest first. */
  private readonly accepted = new Map<string, number>();

  has(text: string): boolean {
    const at = this.accepted.get(nameOf(text));
    return at !== undefined && performance.now() - at < provenFor;
  }

  add(text: string): void {
    const name = nameOf(text);
    this.accepted.delete(name);
    this.accepted.set(name, performance.now());
    const [oldest] = this.accepted.keys();
    if (this.accepted.size > most && oldest !== undefined) this.accepted.delete(oldest);
  }
}

function nameOf(text: string): string {
  return hashOfSecret(text).toString('base64');
}
