import { IsString } from 'class-validator';
import { Section, Setting } from './setting';

export class RequestCertificateSettings {
  @Setting({
    description:
      'PEM file with the certificate for authorization requests and what lies between it and the root, the leaf first. At the start it is taken into the key store together with its key, and replaces the one before. `sealwright certificates` does the same for a key that the service makes. None when empty.',
    kind: 'text',
  })
  @IsString({ message: 'give the path of a file' })
  readonly chainFile: string = '';

  @Setting({
    description: 'PEM file with the private key of that certificate: P-256, PKCS#8, without a password.',
    kind: 'text',
  })
  @IsString({ message: 'give the path of a file' })
  readonly keyFile: string = '';
}

export class DocumentCertificateSettings {
  @Setting({
    description:
      'PEM file with the certificate of the document signer, under which ISO mdocs are signed, and the root that issued it, the leaf first. At the start it is taken into the key store together with its key, and replaces the one before. `sealwright certificates` does the same for a key that the service makes. None when empty.',
    kind: 'text',
  })
  @IsString({ message: 'give the path of a file' })
  readonly chainFile: string = '';

  @Setting({
    description: 'PEM file with the private key of that certificate: P-256, PKCS#8, without a password.',
    kind: 'text',
  })
  @IsString({ message: 'give the path of a file' })
  readonly keyFile: string = '';
}

export class CertificatesSettings {
  @Section(() => RequestCertificateSettings)
  readonly requests: RequestCertificateSettings = new RequestCertificateSettings();

  @Section(() => DocumentCertificateSettings)
  readonly documents: DocumentCertificateSettings = new DocumentCertificateSettings();
}
