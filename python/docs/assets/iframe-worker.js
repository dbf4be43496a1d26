// Search without a server: browsers refuse workers on file: pages, so there the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      this.waiting = []; // messages to a script that is not loaded yet
      this.inside.answer = (data) => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
      this.inside.ready = () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      };
      const page = this.inside.document;
      page.open();
      page.write(
        "<script>postMessage = answer; importScripts = (...urls) => urls.forEach((url) => " +
          "document.write(`<script src='${url}'><\\/script>`))</script>" +
          `<script src="${url}"></script><script>ready()</script>`
      );
      page.close();
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else setTimeout(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {}
  };
}
