import { is, text } from '@app/http';
import { type Language, languages } from '@app/pages';
import { mailAddressFault, type Recipient } from '../offer/recipient';

const oneLine = '^[^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u0020\u007f-\u00a0][^\u0000-\u001f\u007f-\u009f]*$';

/** The person that an offer is handed over to. */
export class RecipientBody implements Recipient {
  @is.Optional(
    'Where `POST /v0/offers/{offerId}/deliveries` sends the link by mail.',
    is.Check(
      'isMailAddress',
      (value) => mailAddressFault(value) ?? '',
      (value) => mailAddressFault(value) === undefined,
    ),
    is.Shown({ ...text, maxLength: 254, format: 'idn-email', examples: ['erika@example.org'] }),
  )
  readonly email?: string;
  @is.Optional(
    'As in a greeting or an address; the lines of a letter are its own.',
    is.Text(1, 200),
    is.Check('isOneLine', 'must be one line, with a character that is no space', (value) => {
      return typeof value === 'string' && value.trim() !== '' && !/\p{Cc}/u.test(value);
    }),
    is.Shown({ ...text, minLength: 1, maxLength: 200, pattern: oneLine, examples: ['Erika Mustermann'] }),
  )
  readonly name?: string;
  @is.Optional('The language of mails and letters; that of the service when absent.', is.OneOf(languages))
  readonly locale?: Language;
}

/** What a body says about whom the offer is for, in the words of the domain; `undefined` when it says nothing. */
export function recipientOf(body: RecipientBody | undefined): Recipient | undefined {
  if (!body) return undefined;
  const { email, name, locale } = body;
  const recipient = {
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
    ...(locale !== undefined && { locale }),
  };
  return Object.keys(recipient).length > 0 ? recipient : undefined;
}
