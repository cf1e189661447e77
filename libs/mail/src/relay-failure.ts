/** Why a mail was not taken. */
export interface RelayFailure {
  /** One word, or the codes of the answer, `550 5.1.1`: its text may name the person. */
  readonly reason: string;
  /** The relay will never take this mail. */
  readonly isFinal: boolean;
  /** It would not take any other mail at present, either. */
  readonly isOfRelay: boolean;
  /** It takes no mail of this sender at present. */
  readonly isOfSender: boolean;
}

const words: Readonly<Record<string, string>> = {
  ETLS: 'tls',
  EAUTH: 'login-refused',
  EDNS: 'unknown-host',
  ETIMEDOUT: 'no-answer',
  ECONNECTION: 'unreachable',
  ESOCKET: 'unreachable',
};

/** Of an error of nodemailer: RFC 5321 §4.2.1 tells passing refusals (4yz) from lasting ones (5yz). */
export function relayFailureOf(error: unknown): RelayFailure {
  const { code, command, responseCode, response } = error as Readonly<Record<string, unknown>>;
  const status = typeof responseCode === 'number' && code !== 'EAUTH' && code !== 'ETLS' ? responseCode : undefined;
  if (status !== undefined) {
    const enhanced =
      typeof response === 'string' ? /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] : undefined;
    const reason = enhanced === undefined ? String(status) : `${status} ${enhanced}`;
    // Who greets nobody refuses every mail. 421: the connection is closed.
    const about = typeof command === 'string' && status !== 421 ? command : '';
    const [isAboutMail, isOfSender] = [/^(RCPT TO|DATA)/.test(about), about.startsWith('MAIL FROM')];
    return { reason, isFinal: isAboutMail && status >= 500, isOfRelay: !isAboutMail && !isOfSender, isOfSender };
  }
  if (isCertificateFault(error)) return ofRelay('certificate');
  if (isOfTls(error)) return ofRelay('tls');
  const reason = typeof code === 'string' ? words[code] : undefined;
  return ofRelay(reason ?? 'unreachable');
}

function ofRelay(reason: string): RelayFailure {
  return { reason, isFinal: false, isOfRelay: true, isOfSender: false };
}

/** Of OpenSSL, such as that the other side does not speak TLS. */
function isOfTls(error: unknown): boolean {
  const { message } = error as Readonly<Record<string, unknown>>;
  return typeof message === 'string' && /\bSSL\b|\bTLS\b|EPROTO/.test(message);
}

function isCertificateFault(error: unknown): boolean {
  const { code, cause, message } = error as Readonly<Record<string, unknown>>;
  const inner = (cause as { readonly code?: unknown } | undefined)?.code;
  const names = [code, inner].filter((one) => typeof one === 'string');
  return (
    names.some((name) => /CERT|ALTNAME/.test(name)) ||
    (typeof message === 'string' && /certificate|altnames/i.test(message))
  );
}
