import { IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { IsPort } from './port';
import { Setting } from './setting';

const securities = ['starttls', 'tls', 'none'] as const;
const address = /^(?:[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253})?$/;

/** The relay by which offers are sent to persons. */
export class MailSettings {
  @Setting({
    description:
      'Host of the SMTP relay that takes mails with the links of offers. Nothing is sent by mail when empty. It signs (DKIM) and is named in the SPF record of the domain of `SERVICE__MAIL__FROM`.',
    kind: 'text',
  })
  @Matches(/^[A-Za-z0-9.:_-]{0,253}$/, { message: 'give the name or address of a host' })
  readonly host: string = '';

  @Setting({ description: 'Port of the relay.', kind: 'number', defaultNote: '`465` for `tls`, else `587`' })
  @IsOptional()
  @IsPort()
  readonly port: number | undefined = undefined;

  @Setting({
    description:
      '`starttls`: the connection is encrypted before anything is said, or not used; `tls`: from its first byte; `none`: not at all, in development to a relay on this machine. The certificate of the relay is verified.',
    kind: 'text',
  })
  @IsIn(securities, { message: `use one of: ${securities.join(', ')}` })
  readonly security: (typeof securities)[number] = 'starttls';

  @Setting({
    description:
      'PEM file with the authorities that the certificate of the relay is verified with, for relays with a private one; those of the system when empty.',
    kind: 'text',
  })
  @IsString({ message: 'give the path of a file' })
  readonly caFile: string = '';

  @Setting({ description: 'User at the relay; no login when empty.', kind: 'text' })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly user: string = '';

  @Setting({ description: 'Password at the relay.', kind: 'text', secret: true })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly password: string = '';

  @Setting({
    description:
      'Address that mails come from; the name beside it is that of the issuer. Reports of undeliverable mail go there, too.',
    kind: 'text',
  })
  @Matches(address, { message: 'give an e-mail address such as credentials@example.org, without a name' })
  readonly from: string = '';

  @Setting({ description: 'Address for answers of people; that of `SERVICE__MAIL__FROM` when empty.', kind: 'text' })
  @Matches(address, { message: 'give an e-mail address such as office@example.org, without a name' })
  readonly replyTo: string = '';

  @Setting({ description: 'Mails within a minute, of all tenants and replicas together. 1 to 6,000.', kind: 'number' })
  @IsInt({ message: 'give a whole number' })
  @Min(1, { message: 'give 1 to 6000 mails' })
  @Max(6_000, { message: 'give 1 to 6000 mails' })
  readonly ratePerMinute: number = 60;

  @Setting({
    description: 'Days for which it is kept what was sent when, and what became of it. 1 to 3,650.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole days' })
  @Min(1, { message: 'give 1 to 3650 days' })
  @Max(3_650, { message: 'give 1 to 3650 days' })
  readonly retentionDays: number = 90;
}
