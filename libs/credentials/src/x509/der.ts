/** One DER element (X.690 §8.1): `content` is a view into the input. */
export type DerElement = { readonly tag: number; readonly content: Buffer };

/** Splits the DER elements that follow one another in `bytes`; `undefined` when they are not DER of known lengths. */
export function readDer(bytes: Buffer): DerElement[] | undefined {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at];
    const first = bytes[at + 1];
    // Tags above 30 take several bytes and occur in no certificate.
    if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined;
    let length = first;
    let start = at + 2;
    if (first >= 0x80) {
      const octets = first & 0x7f;
      if (octets < 1 || octets > 3 || start + octets > bytes.length) return undefined;
      length = bytes.readUIntBE(start, octets);
      start += octets;
    }
    if (start + length > bytes.length) return undefined;
    elements.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}

/** The elements inside the one SEQUENCE, SET or tagged element that `bytes` hold. */
export function inside(bytes: Buffer | undefined): readonly DerElement[] {
  const sequence = bytes && readDer(bytes)?.[0];
  return (sequence && readDer(sequence.content)) ?? [];
}
