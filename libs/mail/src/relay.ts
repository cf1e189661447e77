import type { MailSettings } from '@app/config';
import { readFile } from 'node:fs/promises';
import type { SendMailOptions, Transporter } from 'nodemailer';
import { type RelayFailure, relayFailureOf } from './relay-failure';

/** Milliseconds that a relay has for the connection and its greeting, and in tests for each answer. */
const patience = { connection: 10_000, answer: 60_000 };

/** One connection to the relay of the settings, over which mails are sent one after the other. */
export interface Relay {
  /** @returns why the mail was not taken; `undefined` when it was */
  send(mail: SendMailOptions): Promise<RelayFailure | undefined>;
  close(): void;
}

/** @param answer milliseconds that the relay has for each answer */
export async function openRelay(settings: MailSettings, answer = patience.answer): Promise<Relay> {
  const transport = await transportTo(settings, answer);
  return {
    send: (mail) => transport.sendMail(mail).then(() => undefined, relayFailureOf),
    close: () => {
      transport.close();
    },
  };
}

/** Connects and logs in at the relay, and sends nothing. @returns why that fails; `undefined` when it does not */
export async function examineRelay(settings: MailSettings): Promise<RelayFailure | undefined> {
  let transport: Transporter | undefined;
  try {
    transport = await transportTo(settings, patience.connection);
    await transport.verify();
    return undefined;
  } catch (error) {
    return relayFailureOf(error);
  } finally {
    transport?.close();
  }
}

async function transportTo(settings: MailSettings, answer: number): Promise<Transporter> {
  const { host, security, caFile, user, password } = settings;
  const { createTransport } = await import('nodemailer');
  const ca = caFile === '' ? undefined : await readFile(caFile);
  const transport = createTransport({
    pool: true,
    maxConnections: 1,
    maxRequeues: 0,
    host,
    port: settings.port ?? (security === 'tls' ? 465 : 587),
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(ca && { ca }) },
    ...(user !== '' && { auth: { user, pass: password } }),
    connectionTimeout: patience.connection,
    greetingTimeout: patience.connection,
    socketTimeout: answer,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // What fails is told to whoever sends; without a listener it would end the process.
  transport.on('error', () => undefined);
  return transport;
}
