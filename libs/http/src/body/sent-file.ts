/** A file that a request brings. */
export interface SentFile {
  readonly bytes: Buffer;
  /** In lower case, without parameters; empty when it is not said. */
  readonly mediaType: string;
  /** Of the other parts of a form, by name. */
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

interface Part {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

const mostParts = 20;
const longestHead = 4096;
const longestField = 4096;

/** The file in a body: all of it, or the part `file` of `multipart/form-data`. @returns undefined when there is none, or no whole form */
export function sentFile(bytes: Buffer, mediaType: string, contentType = ''): SentFile | undefined {
  if (mediaType !== 'multipart/form-data') return { bytes, mediaType, fields: {} };
  const parts = partsIn(bytes, contentType);
  const file = parts?.find(({ name }) => name === 'file');
  if (!parts || !file) return undefined;
  const fields: Record<string, string | string[]> = {};
  for (const part of parts) {
    if (part === file) continue;
    const text = part.bytes.toString('utf8', 0, longestField);
    const before = fields[part.name];
    // Given twice, as in a query.
    fields[part.name] = before === undefined ? text : [before, text].flat();
  }
  return { bytes: file.bytes, mediaType: file.mediaType, fields };
}

/** RFC 7578, RFC 2046 §5.1.1. */
function partsIn(bytes: Buffer, contentType: string): readonly Part[] | undefined {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s";,]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) return undefined;
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const first = delimiter.subarray(2);
  let at = bytes.subarray(0, first.length).equals(first) ? first.length : after(bytes, delimiter, 0);
  const parts: Part[] = [];
  while (at !== undefined && parts.length <= mostParts) {
    if (bytes.toString('latin1', at, at + 2) === '--') return parts;
    const end = bytes.indexOf(delimiter, at);
    if (end === -1) return undefined;
    const part = partOf(bytes.subarray(at, end));
    if (!part) return undefined;
    parts.push(part);
    at = end + delimiter.length;
  }
  return undefined;
}

function after(bytes: Buffer, delimiter: Buffer, from: number): number | undefined {
  const at = bytes.indexOf(delimiter, from);
  return at === -1 ? undefined : at + delimiter.length;
}

/** @param bytes from behind the delimiter */
function partOf(bytes: Buffer): Part | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1 || headEnd > longestHead) return undefined;
  const head = bytes.toString('utf8', 0, headEnd);
  const [, quoted, bare] = /^content-disposition:[^\r\n]*?;\s*name=(?:"([^"\r\n]*)"|([^\s;"]+))/im.exec(head) ?? [];
  const [, type = ''] = /^content-type:\s*([^\s;]+)/im.exec(head) ?? [];
  const name = quoted ?? bare;
  return name === undefined ? undefined : { name, mediaType: type.toLowerCase(), bytes: bytes.subarray(headEnd + 4) };
}
