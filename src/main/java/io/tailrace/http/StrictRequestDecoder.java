package io.tailrace.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.ReferenceCountUtil;
import io.tailrace.wire.JsonBody;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * HTTP/1 as strict as the JSON in it. Netty lets Transfer-Encoding win over Content-Length, which is how requests are
 * smuggled past a proxy that thinks otherwise; and Vert.x hangs up on a bad chunk without a word.
 *
 * <p>The one place that knows how Vert.x builds its pipeline. One a connection, on its event loop.
 */
final class StrictRequestDecoder extends VertxHttpRequestDecoder {
    private static final String NAME = "httpDecoder";

    private int requests;
    private int answers;
    private boolean broken;

    private StrictRequestDecoder(HttpServerOptions options) {
        super(options);
    }

    /** Takes the place of the decoder of a connection that has just been opened and read nothing yet. */
    static Optional<StrictRequestDecoder> install(HttpConnection connection, HttpServerOptions options) {
        if (connection instanceof HttpServerConnection it
                && it.channelHandlerContext().pipeline().get(NAME) != null) {
            StrictRequestDecoder decoder = new StrictRequestDecoder(options);
            it.channelHandlerContext().pipeline().replace(NAME, NAME, decoder);
            return Optional.of(decoder);
        }
        return Optional.empty();
    }

    /** An answer has gone out. */
    void answered() {
        answers++;
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf buffer, List<Object> out) throws Exception {
        int from = out.size();
        super.decode(context, buffer, out);
        for (int i = from; i < out.size(); i++) {
            Object message = out.get(i);
            if (message instanceof HttpRequest) {
                requests++;
            } else if (message instanceof HttpContent content
                    && content.decoderResult().isFailure()) {
                out.remove(i--);
                ReferenceCountUtil.release(content);
                hangUp(context);
            }
        }
    }

    /** With an answer only when this request is the one whose answer the client waits for. */
    private void hangUp(ChannelHandlerContext context) {
        if (broken) {
            return;
        }
        broken = true;
        ByteBuf last = requests - answers == 1 ? Unpooled.wrappedBuffer(answer()) : Unpooled.EMPTY_BUFFER;
        context.writeAndFlush(last).addListener(ChannelFutureListener.CLOSE);
    }

    private static byte[] answer() {
        Problem problem = Problem.of(ProblemCode.MALFORMED, "the body is not well-formed HTTP");
        Buffer body = JsonBody.of(problem::write);
        String head = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: " + Problem.MEDIA_TYPE
                + "\r\ncontent-length: " + body.length() + "\r\n\r\n";
        return Buffer.buffer(head.getBytes(StandardCharsets.US_ASCII))
                .appendBuffer(body)
                .getBytes();
    }
}
