import type { CredentialDisplay, WalletUrls } from '@app/openid4vc';

/** W3C Subresource Integrity. @param imageId of an uploaded picture */
export function integrityOf(imageId: string): string {
  return `sha256-${Buffer.from(imageId, 'hex').toString('base64')}`;
}

/** What type metadata show, with the hashes of pictures that were uploaded (SD-JWT VC §8.1.1). */
export function withIntegrity(display: readonly CredentialDisplay[], urls: WalletUrls): readonly CredentialDisplay[] {
  const hashed = <T extends { readonly uri: string }>(picture: T): T => {
    const [, imageId] = /^([0-9a-f]{64})\./.exec(urls.imageAt(picture.uri) ?? '') ?? [];
    return imageId === undefined ? picture : { ...picture, 'uri#integrity': integrityOf(imageId) };
  };
  return display.map(({ logo, background_image: background, ...rest }) => ({
    ...rest,
    ...(logo && { logo: hashed(logo) }),
    ...(background && { background_image: hashed(background) }),
  }));
}
