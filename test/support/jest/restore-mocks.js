// The product is loaded once for all files of a worker: what one file puts in place of a function, the next would meet.
afterAll(() => {
  jest.restoreAllMocks();
});
