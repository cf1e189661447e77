import { simpleParser, type ParsedMail } from 'mailparser';
import type { AddressInfo } from 'node:net';
import { webcrypto } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** As it came. */
  readonly raw: string;
  readonly parsed: ParsedMail;
}

/** What the relay says when a mail's recipient is named, or at its end: nothing when it accepts, `hang` when it never answers. */
export type Verdict = { readonly code: number; readonly text?: string } | 'hang' | undefined;

export interface MailRelay {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** How often a recipient was named. */
  readonly tried: number;
  /** @param verdict by the address and how often anything was tried before */
  judgeBy(verdict: ((address: string, before: number) => Verdict) | undefined): void;
  /** The same, of a whole mail. */
  judgeDataBy(verdict: (() => Verdict) | undefined): void;
  stop(): Promise<void>;
}

/** An SMTP server on loopback that keeps what it is given. */
export async function startMailRelay(options: SMTPServerOptions = {}, port = 0): Promise<MailRelay> {
  const mails: ReceivedMail[] = [];
  let tried = 0;
  let ofRecipient: ((address: string, before: number) => Verdict) | undefined;
  let ofData: (() => Verdict) | undefined;
  const answer = (verdict: Verdict, done: (error?: Error | null) => void): void => {
    if (verdict === 'hang') return;
    if (!verdict) return void done();
    done(Object.assign(new Error(verdict.text ?? 'no'), { responseCode: verdict.code }));
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH'],
    logger: false,
    closeTimeout: 100,
    onRcptTo: ({ address }, _session, done) => {
      answer(ofRecipient?.(address, tried++), done);
    },
    onData: (stream, session, done) => {
      void buffer(stream).then(async (bytes) => {
        const verdict = ofData?.();
        if (!verdict) {
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) },
            raw: bytes.toString('utf8'),
            parsed: await simpleParser(bytes),
          });
        }
        answer(verdict, done);
      });
    },
    ...options,
  });
  // A client that leaves is none of the server's faults.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    get tried() {
      return tried;
    },
    judgeBy: (verdict) => {
      ofRecipient = verdict;
    },
    judgeDataBy: (verdict) => {
      ofData = verdict;
    },
    stop: () =>
      new Promise((resolve) =>
        server.close(() => {
          resolve();
        }),
      ),
  };
}

/** A certificate that signs itself, for a name. */
export async function certificateFor(name: string): Promise<{ readonly cert: string; readonly key: string }> {
  const { BasicConstraintsExtension, SubjectAlternativeNameExtension, X509CertificateGenerator } =
    await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${name}`,
      notBefore: new Date(Date.now() - 3_600_000),
      notAfter: new Date(Date.now() + 3_600_000),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new BasicConstraintsExtension(true),
        new SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
      ],
    },
    webcrypto as never,
  );
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const lines = bytes.toString('base64').replace(/.{64}/g, '$&\n');
  return { cert: made.toString('pem'), key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n` };
}
