import { closed, is, text } from '@app/http';
import { Matches } from 'class-validator';

const isColour = Matches(/^#[0-9a-fA-F]{6}$/, { message: 'must be a colour such as #12107c' });

const isImage: PropertyDecorator = (target, name) => {
  is.Text(1, 2048)(target, name);
  const message = 'must be an http(s) address, or a data:image address of a PNG, JPEG, WebP or GIF';
  Matches(/^(https?:\/\/|data:image\/(png|jpeg|webp|gif)[;,])[\x21-\x7e]+$/, { message })(target, name);
};

class LogoBody {
  @isImage
  readonly uri!: string;
  @is.Omissible()
  @is.Text(1, 256)
  readonly alt_text?: string;
}

class BackgroundImageBody {
  @isImage
  readonly uri!: string;
}

/** How wallets show the credential; the members of OpenID4VCI 1.0 §12.2.4 `display`. */
export class DisplayBody {
  @is.Text(1, 256)
  readonly name!: string;
  @is.Omissible()
  @Matches(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,5}$/, { message: 'must be a language tag such as en or de-CH' })
  readonly locale?: string;
  @is.Omissible()
  @is.Text(1, 1024)
  readonly description?: string;
  @is.Omissible()
  @is.Nested(() => LogoBody)
  readonly logo?: LogoBody;
  @is.Omissible()
  @isColour
  readonly background_color?: string;
  @is.Omissible()
  @is.Nested(() => BackgroundImageBody)
  readonly background_image?: BackgroundImageBody;
  @is.Omissible()
  @isColour
  readonly text_color?: string;
}

/** Examples. */
const displays = [
  { name: 'Membership', locale: 'en', background_color: '#12107c', text_color: '#ffffff' },
  { name: 'Mitgliedschaft', locale: 'de', logo: { uri: 'https://issuer.example/logo.png', alt_text: 'Logo' } },
];

export const isDisplay = is.Optional(
  'How wallets show the credential, one entry for each language.',
  is.NestedList(() => DisplayBody, 20),
  is.Shown({ examples: [displays] }),
);

/** How wallets show a credential. */
export const displaySchema = closed({
  name: text,
  'locale?': text,
  'description?': text,
  'logo?': closed({ uri: text, 'alt_text?': text }),
  'background_color?': text,
  'background_image?': closed({ uri: text }),
  'text_color?': text,
});
