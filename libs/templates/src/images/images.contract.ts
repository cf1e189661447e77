import { closed, component, dateTime, eg, exampleOf, integer, resource, text } from '@app/http';
import { mostImages } from './images';
import { imageTypes, longestSide, mostImageBytes } from './read-image';

const imageId = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';
const mediaTypes = Object.values(imageTypes);

const image = component(
  'Image',
  closed({
    imageId: eg(imageId, { ...text, description: 'The SHA-256 of its content.' }),
    uri: eg(`https://issuer.example/images/${imageId}.png`, {
      ...text,
      description: 'Where wallets load it: for `logo` and `background_image` in the `display` of a template.',
    }),
    integrity: eg('sha256-LCa0a2j/xo/5m0U8HTBBNBNCLXBkg7+g+YpeiGJm564=', {
      ...text,
      description: 'Its hash as type metadata have it beside the address.',
    }),
    mediaType: eg('image/png', { enum: mediaTypes }),
    width: eg(512, integer),
    height: eg(512, integer),
    bytes: eg(18_402, integer),
    createdAt: eg('2026-11-20T10:00:00.000Z', dateTime),
  }),
);

export const images = resource(
  {
    path: 'v0/images',
    area: 'templates',
    tag: 'Images',
    description: 'Pictures of cards and of the issuer, which wallets load from here.',
    parameters: { imageId: { description: 'The id of the picture.', schema: text, example: imageId } },
  },
  {
    create: {
      id: 'createImage',
      route: 'POST',
      summary: 'Send a picture',
      description:
        `A PNG, JPEG or WebP, whatever it is called, of at most ${mostImageBytes / 1000} kB and ${longestSide} pixels a side; up to ` +
        `${mostImages} of them. It is public from now on, byte for byte, with what is written in the file. The same one is stored once.`,
      file: ['application/octet-stream', 'multipart/form-data', ...mediaTypes],
      conditional: false,
      answers: { 201: { description: 'The picture.', schema: image } },
      problems: ['invalid-image', 'conflict'],
    },
    list: {
      id: 'listImages',
      route: 'GET',
      summary: 'List the pictures, newest first',
      answers: {
        200: {
          description: 'All of them.',
          schema: closed({ items: eg([exampleOf(image)], { type: 'array', items: image }) }),
        },
      },
    },
    content: {
      id: 'getImage',
      route: 'GET :imageId',
      summary: 'Get a picture itself',
      answers: { 200: { description: 'As it was sent.', mediaTypes } },
    },
    remove: {
      id: 'deleteImage',
      route: 'DELETE :imageId',
      conditional: false,
      summary: 'Delete a picture that nothing shows',
      description: 'Caches may have it for a day. Type metadata that name it do so still.',
      answers: { 204: 'It is not there any more.' },
      problems: ['conflict'],
    },
  },
);
