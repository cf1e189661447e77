import { IsIn, IsString } from 'class-validator';
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

export class MetadataCertificateSettings {
  @Setting({
    description:
      'PEM file with the certificate under which the metadata of the issuer are signed, for wallets of the EU its access certificate, and what lies between it and the root, the leaf first. At the start it is taken into the key store together with its key, and replaces the one before. `sealwright certificates` does the same for a key that the service makes. Without one, the certificate for credentials signs them.',
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

/** What certificates for requests and for metadata are compared with; see `CertificatesSettings.profile`. */
const certificateProfiles = ['', 'eudi', 'none'] as const;
export type CertificateProfile = (typeof certificateProfiles)[number];

export class CertificatesSettings {
  @Setting({
    description:
      'Whether certificates for requests and for metadata have to be access certificates of the EU (ETSI TS 119 411-8): `eudi`, others are refused, and the host need not be among their names, except for `x509_san_dns`; empty, `sealwright doctor` and the installation say what others lack; `none`, nobody asks.',
    kind: 'text',
  })
  @IsIn(certificateProfiles, { message: 'use eudi or none, or leave it empty' })
  readonly profile: CertificateProfile = '';

  @Section(() => RequestCertificateSettings)
  readonly requests: RequestCertificateSettings = new RequestCertificateSettings();

  @Section(() => DocumentCertificateSettings)
  readonly documents: DocumentCertificateSettings = new DocumentCertificateSettings();

  @Section(() => MetadataCertificateSettings)
  readonly metadata: MetadataCertificateSettings = new MetadataCertificateSettings();
}
