import { IsString, IsUrl, Matches, ValidateIf } from 'class-validator';
import { Setting } from './setting';

/** Who the persons are, and where the data of their credentials comes from. */
export class IdentificationSettings {
  @Setting({
    description:
      'URL that is asked for the data of a credential whose template says `data: webhook`, when a wallet requests it: a POST, signed as webhooks are. None when empty.',
    kind: 'text',
  })
  @ValidateIf(({ dataUrl }: IdentificationSettings) => dataUrl !== '')
  @IsUrl({ require_tld: false, protocols: ['https', 'http'], require_protocol: true }, { message: 'give an https URL' })
  readonly dataUrl: string = '';

  @Setting({
    description:
      'Secret that signs these requests: `whsec_` and the base64 of 24 to 64 random bytes, such as the output of `echo "whsec_$(openssl rand -base64 32)"`.',
    kind: 'text',
    secret: true,
  })
  @IsString({ message: 'give a text; quote it in YAML' })
  @ValidateIf(({ dataSecret }: IdentificationSettings) => dataSecret !== '')
  @Matches(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, { message: 'give whsec_ and the base64 of 24 to 64 bytes' })
  readonly dataSecret: string = '';
}
